package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whom PostgreSQL runs as. It refuses to run as root; there it runs in a user namespace of its own,
 * and where the system grants none (most containers), as the user {@code nobody}.
 */
enum PostgresUser {
  /** The user of this JVM. */
  SAME,
  /** Root, seen from within as nobody; files stay root's. */
  NAMESPACE,
  /** The user nobody, who must own the data. */
  NOBODY;

  static PostgresUser detect() {
    if (Processes.onWindows() || !isRoot()) {
      return SAME;
    }
    if (LinuxUtils.isUnshareAvailable()) {
      return NAMESPACE;
    }
    if (Processes.run(List.of("sh", "-c", "setpriv --reuid=65534 --clear-groups true")) == 0) {
      return NOBODY;
    }
    throw new TestkitException(
        "PostgreSQL does not run as root, and neither 'unshare -U' nor 'setpriv' works here: run as"
            + " another user, or install util-linux");
  }

  /** The command with what makes it run as this user; it keeps its process id. */
  List<String> run(List<String> command) {
    List<String> prefix =
        switch (this) {
          case SAME -> List.of();
          case NAMESPACE -> List.of("unshare", "-U");
          case NOBODY -> List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
        };
    return Stream.concat(prefix.stream(), command.stream()).toList();
  }

  /** Gives the directory, not what is in it, to this user. */
  void own(Path directory) throws IOException {
    if (this == NOBODY) {
      UserPrincipal nobody =
          directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
      Files.setOwner(directory, nobody);
    }
  }

  /** Whether this user can read what this JVM puts below its own home. */
  boolean readsHome() {
    return this != NOBODY;
  }

  private static boolean isRoot() {
    try {
      Path probe = Files.createTempFile("onceward-", ".owner");
      try {
        return Files.getAttribute(probe, "unix:uid").equals(0);
      } finally {
        Files.delete(probe);
      }
    } catch (IOException e) {
      throw new TestkitException("cannot create a file in the temporary directory: " + e, e);
    }
  }

  static boolean isOurs(Path path) throws IOException {
    Path probe = Files.createTempFile("onceward-", ".owner");
    try {
      return Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(probe));
    } finally {
      Files.delete(probe);
    }
  }
}
