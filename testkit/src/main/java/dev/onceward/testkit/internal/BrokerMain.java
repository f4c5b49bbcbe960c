package dev.onceward.testkit.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/** Runs a broker in a JVM of its own, which ends when its standard input does. */
public final class BrokerMain {
  private BrokerMain() {}

  /**
   * Runs until the broker or the standard input ends.
   *
   * @param args the path of the broker's configuration
   */
  public static void main(String[] args) {
    endWithParent();
    try {
      run(Path.of(args[0]));
    } catch (IOException | RuntimeException | Error e) {
      LoggerFactory.getLogger(BrokerMain.class).error("the broker does not run", e);
      // Threads of a broker that started half way would keep the JVM alive.
      Runtime.getRuntime().halt(1);
    }
  }

  private static void run(Path config) throws IOException {
    // A broker whose parent was killed leaves the directory within moments.
    Broker broker = Broker.start(config, Duration.ofSeconds(10));
    Runtime.getRuntime().addShutdownHook(new Thread(broker::close, "close-broker"));
    Files.createFile(BrokerHome.readyMark(config));
    broker.awaitEnd();
  }

  private static void endWithParent() {
    Thread watch = new Thread(BrokerMain::haltAtEndOfInput, "watch-parent");
    watch.setDaemon(true);
    watch.start();
  }

  private static void haltAtEndOfInput() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      LoggerFactory.getLogger(BrokerMain.class).error("lost the parent", e);
    }
    // Nobody is left to wait for an orderly end.
    Runtime.getRuntime().halt(0);
  }
}
