package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@OncewardTest
class TcpProxyTest {
  private final ServerSocket echo;
  private final TcpProxy proxy;

  TcpProxyTest() throws IOException {
    echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    proxy = TcpProxy.to(echo.getLocalPort());
  }

  @BeforeEach
  void answer() {
    Thread server = new Thread(this::echoAll, "echo");
    server.setDaemon(true);
    server.start();
  }

  @AfterEach
  void end() throws IOException {
    proxy.close();
    echo.close();
  }

  private void echoAll() {
    while (!echo.isClosed()) {
      try {
        Socket socket = echo.accept();
        Thread one =
            new Thread(
                () -> {
                  try (socket) {
                    socket.getInputStream().transferTo(socket.getOutputStream());
                  } catch (IOException e) {
                    assertThat(e).isNotNull();
                  }
                });
        one.setDaemon(true);
        one.start();
      } catch (IOException e) {
        assertThat(echo.isClosed()).isTrue();
      }
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout(20_000);
    return socket;
  }

  private static int ask(Socket socket) throws IOException {
    socket.getOutputStream().write(7);
    return socket.getInputStream().read();
  }

  @Test
  void bytesPassBothWaysUntilTheConnectionIsCut() throws Exception {
    try (Socket socket = connect()) {
      assertThat(ask(socket)).isEqualTo(7);
      assertThat(proxy.connections()).isEqualTo(1);
      proxy.cut();
      assertThatThrownBy(() -> ask(socket)).isInstanceOf(IOException.class);
    }
    try (Socket again = connect()) {
      assertThat(ask(again)).isEqualTo(7);
    }
  }

  @Test
  void theEndOfOneSideReachesTheOther() throws Exception {
    try (Socket socket = connect()) {
      assertThat(ask(socket)).isEqualTo(7);
      socket.shutdownOutput();
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
    Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> proxy.connections() == 0);
  }

  @Test
  void refusedUntilAcceptedAgainOnTheSamePort() throws Exception {
    proxy.refuse();
    assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
    proxy.accept();
    try (Socket socket = connect()) {
      assertThat(ask(socket)).isEqualTo(7);
    }
  }

  @Test
  void aFrozenConnectionHangsAndThawsWithNothingLost() throws Exception {
    try (Socket socket = connect()) {
      assertThat(ask(socket)).isEqualTo(7);
      proxy.freeze();
      socket.setSoTimeout(300);
      assertThatThrownBy(() -> ask(socket)).isInstanceOf(SocketTimeoutException.class);
      socket.setSoTimeout(20_000);
      proxy.thaw();
      assertThat(socket.getInputStream().read()).isEqualTo(7);
    }
  }

  @Test
  void aDelayHoldsBackEachDirection() throws Exception {
    try (Socket socket = connect()) {
      proxy.delay(Duration.ofMillis(100));
      long start = System.nanoTime();
      assertThat(ask(socket)).isEqualTo(7);
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThanOrEqualTo(Duration.ofMillis(200));
    }
  }

  @Test
  void aDatabaseConnectionBreaksAndANewOneWorks(TestDatabase database) throws Exception {
    proxy.target(database.server().port());
    String url = "jdbc:postgresql://127.0.0.1:" + proxy.port() + "/" + database.name();
    try (Connection connection =
        DriverManager.getConnection(url, database.user(), database.password())) {
      proxy.cut();
      assertThatThrownBy(() -> connection.createStatement().execute("SELECT 1"))
          .isInstanceOf(SQLException.class);
    }
    try (Connection connection =
            DriverManager.getConnection(url, database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT 1")) {
      assertThat(result.next()).isTrue();
    }
  }

  @Test
  void aBrokerBehindTheProxyIsReachedOnlyThroughIt() throws Exception {
    try (TcpProxy toBroker = TcpProxy.open();
        InProcessKafka kafka =
            InProcessKafka.start(KafkaSettings.builder().advertisedPort(toBroker.port()).build())) {
      toBroker.target(kafka.port());
      kafka.createTopic("orders", 1);
      Clients.produce(kafka, "orders", "a");
      toBroker.refuse();
      RecordCollector collector = RecordCollector.on(kafka).within(Duration.ofSeconds(2));
      assertThatThrownBy(() -> collector.readAll("orders"))
          .isInstanceOf(TestkitException.class)
          .hasMessageContaining("could not be read within PT2S");
      toBroker.accept();
      assertThat(Clients.texts(RecordCollector.on(kafka).readAll("orders")))
          .isEqualTo(List.of("a"));
    }
  }
}
