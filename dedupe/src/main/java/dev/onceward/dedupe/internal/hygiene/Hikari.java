package dev.onceward.dedupe.internal.hygiene;

import dev.onceward.dedupe.hygiene.PoolUsage;
import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** HikariCP by reflection: known, and no dependency. */
public final class Hikari {
  private static final String DATA_SOURCE = "com.zaxxer.hikari.HikariDataSource";
  private static final String BEAN = "com.zaxxer.hikari.HikariPoolMXBean";

  private Hikari() {}

  /**
   * Takes a connection out of its pool; it is closed in the background.
   *
   * @return whether {@code source} is a HikariCP pool, or unwraps to one
   */
  public static boolean evict(DataSource source, Connection connection) throws SQLException {
    DataSource pool = pool(source);
    if (pool == null) {
      return false;
    }
    try {
      pool.getClass().getMethod("evictConnection", Connection.class).invoke(pool, connection);
      return true;
    } catch (NoSuchMethodException | IllegalAccessException e) {
      return false;
    } catch (InvocationTargetException e) {
      throw new SQLException("HikariCP cannot evict a connection", e.getTargetException());
    }
  }

  /** How full the pool is, asked anew each time; null when it is not HikariCP's. */
  static @Nullable Supplier<@Nullable PoolUsage> usage(DataSource source) {
    try {
      DataSource pool = pool(source);
      return pool == null ? null : () -> usageOf(pool);
    } catch (SQLException e) {
      return null; // a data source that cannot even tell what it wraps
    }
  }

  private static @Nullable PoolUsage usageOf(DataSource pool) {
    try {
      Object bean = pool.getClass().getMethod("getHikariPoolMXBean").invoke(pool);
      if (bean == null) {
        return null; // its pool is made by the first getConnection()
      }
      Class<?> type = Class.forName(BEAN, false, pool.getClass().getClassLoader());
      return new PoolUsage(
          (int) type.getMethod("getActiveConnections").invoke(bean),
          (int) pool.getClass().getMethod("getMaximumPoolSize").invoke(pool),
          (int) type.getMethod("getThreadsAwaitingConnection").invoke(bean));
    } catch (ReflectiveOperationException e) {
      return null; // a later HikariCP; the figures are missing then
    }
  }

  private static @Nullable DataSource pool(DataSource source) throws SQLException {
    for (Class<?> type = source.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getName().equals(DATA_SOURCE)) {
        return source;
      }
    }
    Class<?> hikari = loaded(source.getClass().getClassLoader());
    return hikari != null && source.isWrapperFor(hikari)
        ? (DataSource) source.unwrap(hikari)
        : null;
  }

  private static @Nullable Class<?> loaded(@Nullable ClassLoader loader) {
    try {
      return Class.forName(DATA_SOURCE, false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }
}
