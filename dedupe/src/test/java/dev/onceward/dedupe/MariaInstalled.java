package dev.onceward.dedupe;

import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;

/** Skips properties where there is no MariaDB. */
final class MariaInstalled implements SkipExecutionHook {
  @Override
  public SkipResult shouldBeSkipped(LifecycleContext context) {
    return MariaServer.isInstalled()
        ? SkipResult.doNotSkip()
        : SkipResult.skip(MariaServer.MISSING);
  }
}
