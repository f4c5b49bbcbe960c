package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.SQLException;

/** Chooses how to watch a transaction. */
final class Probes {
  /** The driver is optional: another one, or one in another class loader, may be in use. */
  private static final boolean DRIVER_PRESENT = isPresent("org.postgresql.core.BaseConnection");

  private Probes() {}

  static TransactionProbe on(Connection connection) throws SQLException {
    if (DRIVER_PRESENT) {
      TransactionProbe free = DriverProbe.on(connection);
      if (free != null) {
        return free;
      }
    }
    return new QueryProbe(connection);
  }

  private static boolean isPresent(String type) {
    try {
      Class.forName(type, false, Probes.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}
