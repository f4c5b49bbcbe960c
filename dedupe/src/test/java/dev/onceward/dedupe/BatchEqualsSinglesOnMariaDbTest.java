package dev.onceward.dedupe;

import net.jqwik.api.lifecycle.AddLifecycleHook;

@AddLifecycleHook(MariaInstalled.class)
class BatchEqualsSinglesOnMariaDbTest extends BatchEqualsSingles {
  BatchEqualsSinglesOnMariaDbTest() {
    super(new MariaDatabase());
  }
}
