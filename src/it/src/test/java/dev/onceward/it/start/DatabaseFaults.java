package dev.onceward.it.start;

import static dev.onceward.it.start.ConsumerSetup.SECRET;
import static dev.onceward.it.start.StartFault.SHORT;
import static dev.onceward.it.start.StartFault.plain;

import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.testkit.PostgresServer;
import dev.onceward.testkit.TcpProxy;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What can be wrong about the database of the inbox. */
final class DatabaseFaults {

  private DatabaseFaults() {}

  static Stream<StartFault> on(PostgresServer postgres) {
    String server = "127.0.0.1:" + postgres.port();
    return Stream.of(
        plain(
            "closed port",
            setup -> setup.database = source("127.0.0.1:" + Ports.closed(), "x", "postgres", "x"),
            "data source",
            "check host and port"),
        plain(
            "wrong password",
            setup -> setup.database = source(server, "postgres", "postgres", SECRET),
            "data source",
            "check the data source's user and password"),
        plain(
            "wrong password behind a pool",
            setup -> {
              HikariDataSource pool = new HikariDataSource();
              setup.opened.add(pool);
              pool.setJdbcUrl("jdbc:postgresql://" + server + "/postgres?password=" + SECRET);
              pool.setUsername("postgres");
              pool.setPassword(SECRET);
              pool.setConnectionTimeout(1_000);
              pool.setInitializationFailTimeout(-1);
              setup.database = pool;
            },
            "HikariDataSource",
            "check the data source's user and password"),
        plain(
            "URL of a database that no driver knows",
            setup -> {
              HikariDataSource pool = new HikariDataSource();
              setup.opened.add(pool);
              pool.setJdbcUrl("jdbc:postgress://localhost/x?password=" + SECRET);
              setup.database = pool;
            },
            "HikariDataSource",
            "No suitable driver"),
        plain(
            "database that does not exist",
            setup -> setup.database = source(server, "nowhere", "postgres", postgres.password()),
            "data source",
            "check the database name"),
        plain(
            "missing schema",
            setup -> setup.database = postgres.dataSource(),
            "lacks tables",
            "onceward_processed_event",
            "createSchema()"),
        plain(
            "server that does not answer",
            setup -> {
              TcpProxy proxy = TcpProxy.to(postgres.port());
              setup.opened.add(proxy);
              proxy.freeze();
              setup.database = source("127.0.0.1:" + proxy.port(), "postgres", "postgres", SECRET);
              setup.startTimeout = SHORT;
            },
            "data source",
            "no answer within"));
  }

  private static DataSource source(String server, String name, String user, String password) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl("jdbc:postgresql://" + server + "/" + name);
    source.setUser(user);
    source.setPassword(password);
    return source;
  }
}
