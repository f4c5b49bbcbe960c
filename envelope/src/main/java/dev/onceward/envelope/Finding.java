package dev.onceward.envelope;

/**
 * One thing that is not as it should be about a topic.
 *
 * @param topic the topic
 * @param message what is wrong, why it matters and how to fix it, in one line
 * @param severity how bad it is
 */
public record Finding(String topic, String message, Severity severity) {

  /** How bad it is, worst first. */
  public enum Severity {
    /** It does not work, or events get lost. */
    ERROR,
    /** It works until something else fails. */
    WARNING
  }

  /** The finding in one line. */
  @Override
  public String toString() {
    return severity + " " + topic + ": " + message;
  }
}
