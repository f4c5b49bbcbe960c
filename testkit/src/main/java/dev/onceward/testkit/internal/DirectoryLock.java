package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Keeps a server directory to one server at a time; the lock ends with its process. */
public final class DirectoryLock implements AutoCloseable {
  private final Path owner;
  private final FileChannel channel;
  private final FileLock lock;

  private DirectoryLock(Path owner, FileChannel channel, FileLock lock) {
    this.owner = owner;
    this.channel = channel;
    this.lock = lock;
  }

  /**
   * Locks {@code directory}.
   *
   * @param patience how long to wait for another holder to let go
   * @throws TestkitException when it stays in use; the message names the holder
   */
  public static DirectoryLock acquire(Path directory, Duration patience) {
    Deadline deadline = Deadline.in(patience);
    Path owner = directory.resolve("owner");
    try {
      while (true) {
        DirectoryLock lock = tryAcquire(directory, owner);
        if (lock != null) {
          return lock;
        }
        if (deadline.passed()) {
          throw new TestkitException(
              "directory %s is in use by process %s: close that server or choose another directory"
                  .formatted(directory, holder(owner)));
        }
        deadline.pause(Duration.ofMillis(20));
      }
    } catch (IOException e) {
      throw new TestkitException("cannot lock directory " + directory + ": " + e, e);
    }
  }

  private static @Nullable DirectoryLock tryAcquire(Path directory, Path owner) throws IOException {
    // POSIX drops a process's lock when the process closes *any* descriptor of the file, so a JVM
    // that holds the lock must not even open the file again.
    if (holder(owner).equals(self())) {
      return null;
    }
    FileChannel channel =
        FileChannel.open(
            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        Files.writeString(owner, self());
        return new DirectoryLock(owner, channel, lock);
      }
    } catch (OverlappingFileLockException e) {
      // Another thread of this JVM was faster by a hair: in use.
      return null;
    }
    channel.close();
    return null;
  }

  private static String holder(Path owner) throws IOException {
    return Files.exists(owner) ? Files.readString(owner) : "(unknown)";
  }

  /** Process ids repeat, in containers after each restart, so the start time belongs to it. */
  private static String self() {
    return ProcessHandle.current().pid()
        + " (started at "
        + ManagementFactory.getRuntimeMXBean().getStartTime()
        + " ms)";
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(owner);
      lock.release();
      channel.close();
    } catch (IOException e) {
      throw new TestkitException("cannot unlock " + owner.getParent() + ": " + e, e);
    }
  }
}
