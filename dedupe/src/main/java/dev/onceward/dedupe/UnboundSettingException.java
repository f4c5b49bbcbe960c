package dev.onceward.dedupe;

/**
 * An entry has a setting that the inbox does not bind, so its transaction did not begin. No event
 * is to blame, but the configuration.
 */
public final class UnboundSettingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /**
   * Names the setting and the fix.
   *
   * @param setting its name
   */
  public UnboundSettingException(String setting) {
    super(
        "the inbox does not bind the setting "
            + setting
            + "; name it in JdbcInbox.builder(...).boundSettings(...)");
  }
}
