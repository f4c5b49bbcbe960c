package dev.onceward.envelope.internal;

import dev.onceward.envelope.EventPolicyException;
import dev.onceward.envelope.PolicyAction;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does what a policy says, and keeps a warning from flooding the log. Thread-safe. */
public final class Enforcement {
  private static final Logger LOG = LoggerFactory.getLogger("dev.onceward.envelope.policy");

  /** Types can be of a stranger's making: beyond this many, warn no more. */
  private static final int MAX_WARNED_TYPES = 1_000;

  private final PolicyAction action;
  private final Set<String> warnedTypes = ConcurrentHashMap.newKeySet();

  public Enforcement(PolicyAction action) {
    this.action = action;
  }

  public PolicyAction action() {
    return action;
  }

  public void of(String eventType, String problem) {
    switch (action) {
      case ALLOW -> {}
      case WARN -> {
        if (warnedTypes.size() < MAX_WARNED_TYPES && warnedTypes.add(eventType)) {
          LOG.warn("{} (warned once for this type)", problem);
        }
      }
      case REFUSE -> throw new EventPolicyException(problem);
    }
  }
}
