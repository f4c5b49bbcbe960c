package dev.onceward.dedupe;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The inbox on MariaDB with the settings of the driver that change how statements are sent and what
 * is counted: prepared by the server, batches in bulk, and only rows that were really changed.
 */
class MariaDbDriverTest {
  @RegisterExtension
  static final MariaDatabase DATABASE =
      new MariaDatabase("&useServerPrepStmts=true&useBulkStmts=true&useAffectedRows=true");

  @Nested
  class Effects extends InboxContract {
    Effects() {
      super(DATABASE);
    }
  }

  @Nested
  class Batches extends BatchContract {
    Batches() {
      super(DATABASE);
    }
  }

  @Nested
  class VersionModes extends VersionModesContract {
    VersionModes() {
      super(DATABASE);
    }
  }

  @Nested
  class Fences extends FenceContract {
    Fences() {
      super(DATABASE);
    }
  }

  @Nested
  class Maintenance extends MaintainContract {
    Maintenance() {
      super(DATABASE);
    }
  }
}
