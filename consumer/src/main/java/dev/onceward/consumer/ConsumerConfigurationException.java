package dev.onceward.consumer;

import java.util.List;

/** A handler class or a setting cannot work; the message names each place and its fix. */
public final class ConsumerConfigurationException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception with one line per problem. */
  public ConsumerConfigurationException(List<String> problems) {
    super(String.join(System.lineSeparator(), problems));
  }
}
