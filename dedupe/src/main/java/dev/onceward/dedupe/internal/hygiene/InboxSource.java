package dev.onceward.dedupe.internal.hygiene;

import dev.onceward.dedupe.hygiene.ConnectionHygiene;
import dev.onceward.dedupe.hygiene.HygienicDataSource;
import dev.onceward.dedupe.hygiene.PoolUsage;
import java.sql.SQLException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Where an inbox gets connections, measured, and how they are checked.
 *
 * @param metered hands out connections that nothing else checks
 * @param hygiene checks them
 */
public record InboxSource(MeteredDataSource metered, InboxHygiene hygiene) {

  /**
   * A hygienic data source is taken apart: its checks come too late for an inbox, which can check
   * before it commits.
   */
  public static InboxSource of(
      DataSource given,
      @Nullable ConnectionHygiene hygiene,
      @Nullable Supplier<? extends @Nullable PoolUsage> usage) {
    if (!(given instanceof HygienicDataSource wrapper)) {
      HygieneMonitor monitor =
          new HygieneMonitor(hygiene == null ? ConnectionHygiene.standard() : hygiene);
      return new InboxSource(new MeteredDataSource(given, usage), new InboxHygiene(monitor, given));
    }
    try {
      MeteredDataSource shared = wrapper.unwrap(MeteredDataSource.class);
      HygieneMonitor monitor =
          hygiene == null ? wrapper.unwrap(HygieneMonitor.class) : new HygieneMonitor(hygiene);
      return new InboxSource(
          usage == null ? shared : new MeteredDataSource(shared.source(), usage),
          new InboxHygiene(monitor, shared.source()));
    } catch (SQLException e) {
      throw new IllegalStateException("a HygienicDataSource unwraps to its parts", e);
    }
  }
}
