package dev.onceward.dedupe.internal.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.dedupe.Events;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.dedupe.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The inbox where the driver's classes cannot be seen, as with another driver. */
class WithoutDriverTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @BeforeAll
  static void createTables() throws Exception {
    Events.createLedger(DATABASE);
    JdbcInbox.on(DATABASE.plain()).createSchema();
  }

  @Test
  void theSamePromisesAreKeptByAskingTheServer() throws Exception {
    ClassLoader driverless = new Driverless();
    Class<?> scenario = driverless.loadClass(DriverlessScenario.class.getName());
    assertThat(scenario).isNotEqualTo(DriverlessScenario.class);
    @SuppressWarnings("unchecked") // it is a Function of the JDK's own types in either loader
    Function<DataSource, List<String>> run =
        (Function<DataSource, List<String>>) scenario.getDeclaredConstructor().newInstance();

    assertThat(run.apply(DATABASE.plain()))
        .containsExactly(
            "probe QueryProbe",
            "APPLIED",
            "DUPLICATE",
            "STALE",
            "APPLIED",
            "CommitRefusedException 23505 swallowed",
            "CommitRefusedException ended under the handler",
            "CommitRefusedException ended under the handler",
            "APPLIED after savepoint");
    assertThat(DATABASE.texts("SELECT account FROM ledger ORDER BY id"))
        .containsExactly("once", "plain", "kept");
  }

  /** Loads Onceward anew and hides the driver. */
  private static final class Driverless extends ClassLoader {
    Driverless() {
      super(WithoutDriverTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("org.postgresql.")) {
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith("dev.onceward.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded != null ? loaded : define(name);
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
