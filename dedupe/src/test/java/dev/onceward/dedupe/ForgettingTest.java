package dev.onceward.dedupe;

import org.junit.jupiter.api.extension.RegisterExtension;

class ForgettingTest extends MaintainContract {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  ForgettingTest() {
    super(DATABASE);
  }
}
