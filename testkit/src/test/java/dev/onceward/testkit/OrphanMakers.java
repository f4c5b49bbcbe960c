package dev.onceward.testkit;

import dev.onceward.testkit.internal.TemporaryDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** Programs that start a server and wait to be killed. All they print is what the test asks for. */
final class OrphanMakers {
  private OrphanMakers() {}

  /** Prints the broker's process id and directory. */
  static final class KafkaParent {
    private KafkaParent() {}

    public static void main(String[] args) throws InterruptedException {
      ChildKafka kafka = ChildKafka.start();
      if (args[0].equals("pause")) {
        kafka.pause();
      }
      System.out.println(kafka.pid() + " " + kafka.log().getParent());
      new CountDownLatch(1).await();
    }
  }

  /** Prints the server's process id; the directory is the argument. */
  static final class PostgresParent {
    private PostgresParent() {}

    public static void main(String[] args) throws InterruptedException {
      PostgresServer postgres = PostgresServer.builder().directory(Path.of(args[0])).start();
      System.out.println(postgres.pid());
      new CountDownLatch(1).await();
    }
  }

  /** Prints a temporary directory that it holds in that of the argument. */
  static final class DirectoryHolder {
    private DirectoryHolder() {}

    public static void main(String[] args) throws IOException, InterruptedException {
      TemporaryDirectory held =
          TemporaryDirectory.create(Path.of(args[0]), TemporaryDirectoryTest.PREFIX);
      Files.createDirectories(held.path().resolve("data/deep"));
      System.out.println(held.path());
      new CountDownLatch(1).await();
    }
  }
}
