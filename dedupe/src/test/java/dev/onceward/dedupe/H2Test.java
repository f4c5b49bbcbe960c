package dev.onceward.dedupe;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The inbox on H2. */
class H2Test {
  @RegisterExtension static final H2Database DATABASE = new H2Database();

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
  class Windows extends WindowContract {
    Windows() {
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
  class Concurrency extends ConcurrencyContract {
    Concurrency() {
      super(DATABASE);
    }
  }

  @Nested
  class Maintenance extends MaintainContract {
    Maintenance() {
      super(DATABASE);
    }
  }

  @Nested
  class Specifics extends PortableContract {
    Specifics() {
      super(DATABASE);
    }
  }
}
