package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The PostgreSQL programs of the zonky artefacts, unpacked once per user and version: below the
 * user's cache directory, or the temporary directory where that cannot be used.
 *
 * @param directory where {@code bin}, {@code lib} and {@code share} are
 */
record PostgresBinaries(Path directory) {
  private static final String COUNT_FILE = "complete";

  Path program(String name) {
    return directory.resolve("bin").resolve(Processes.onWindows() ? name + ".exe" : name);
  }

  static PostgresBinaries unpacked(PostgresUser user) {
    try {
      byte[] archive = archive();
      Path directory = cache(user).resolve("postgres-" + digest(archive));
      if (!isComplete(directory)) {
        unpack(archive, directory);
      }
      return new PostgresBinaries(directory);
    } catch (IOException e) {
      throw new TestkitException("cannot unpack the PostgreSQL programs: " + e, e);
    }
  }

  private static byte[] archive() throws IOException {
    String os = System.getProperty("os.name", "");
    String architecture = System.getProperty("os.arch", "");
    String system =
        Processes.onWindows()
            ? "Windows"
            : os.toLowerCase(Locale.ROOT).startsWith("mac") ? "Darwin" : os;
    try (InputStream in =
        DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(
            system, architecture.equals("amd64") ? "x86_64" : architecture)) {
      return in.readAllBytes();
    } catch (IllegalStateException e) {
      throw new TestkitException(
          "no PostgreSQL for %s on %s on the class path: add the artefact of io.zonky.test.postgres for it"
              .formatted(os, architecture),
          e);
    }
  }

  private static String digest(byte[] archive) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(archive))
          .substring(0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new TestkitException("every JVM has SHA-256", e);
    }
  }

  private static Path cache(PostgresUser user) throws IOException {
    if (user.readsHome()) {
      Path home =
          Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
              .filter(value -> !value.isBlank())
              .map(Path::of)
              .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"))
              .resolve("onceward");
      try {
        Files.createDirectories(home);
        if (Files.isWritable(home)) {
          return home;
        }
      } catch (IOException e) {
        // No usable home, as with a container's nameless user: the temporary directory will do.
        return temporaryCache();
      }
    }
    return temporaryCache();
  }

  private static Path temporaryCache() throws IOException {
    Path cache =
        Path.of(
            System.getProperty("java.io.tmpdir"), "onceward-" + System.getProperty("user.name"));
    try {
      Files.createDirectory(cache);
    } catch (FileAlreadyExistsException e) {
      // The name can be guessed: run no programs that another user has put there.
      if (!PostgresUser.isOurs(cache)) {
        throw new IOException(cache + " belongs to another user: set -Djava.io.tmpdir", e);
      }
    }
    return cache;
  }

  /** Cleaners of temporary directories may have taken some of the files. */
  private static boolean isComplete(Path directory) throws IOException {
    Path countFile = directory.resolve(COUNT_FILE);
    return Files.exists(countFile)
        && Files.readString(countFile).equals(Long.toString(count(directory)));
  }

  private static long count(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> !file.endsWith(COUNT_FILE)).count();
    }
  }

  private static void unpack(byte[] archive, Path directory) throws IOException {
    Path fresh = Files.createTempDirectory(directory.getParent(), "unpack-");
    extract(archive, fresh);
    Files.writeString(fresh.resolve(COUNT_FILE), Long.toString(count(fresh)));
    if (!Processes.onWindows()) {
      Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    if (Files.exists(directory) && !isComplete(directory)) {
      Directories.delete(directory);
    }
    try {
      Files.move(fresh, directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      // Another process was faster: a rename onto a directory fails in several ways.
      Directories.delete(fresh);
      if (!isComplete(directory)) {
        throw e;
      }
    }
  }

  private static void extract(byte[] archive, Path directory) throws IOException {
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(
            new BufferedInputStream(new XZInputStream(new ByteArrayInputStream(archive))))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        Path path = directory.resolve(entry.getName()).normalize();
        if (!path.startsWith(directory)) {
          throw new IOException("archive entry leaves the directory: " + entry.getName());
        }
        extract(tar, entry, path);
      }
    }
  }

  private static void extract(TarArchiveInputStream tar, TarArchiveEntry entry, Path path)
      throws IOException {
    if (entry.isDirectory()) {
      Files.createDirectories(path);
      return;
    }
    Path parent = path.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    if (entry.isSymbolicLink() || entry.isLink()) {
      Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
    } else {
      Files.copy(tar, path);
      if (!Processes.onWindows() && (entry.getMode() & 0100) != 0) {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
    }
  }
}
