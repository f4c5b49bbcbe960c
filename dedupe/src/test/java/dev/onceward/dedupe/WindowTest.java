package dev.onceward.dedupe;

import org.junit.jupiter.api.extension.RegisterExtension;

class WindowTest extends WindowContract {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  WindowTest() {
    super(DATABASE);
  }
}
