package dev.onceward.dedupe;

import static java.util.Objects.requireNonNull;

import java.net.URI;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One effect to be applied once. Immutable. Start with {@link #of} and add what the effect needs:
 *
 * <pre>{@code
 * InboxEntry.of("billing", event.getSource(), event.getId())
 *     .withEventTime(event.getTime().toInstant())
 *     .withVersion(EntityVersion.next("orders", orderId, 7))
 *     .withFence(fence)
 *     .withSetting("app.tenant_id", tenant);
 * }</pre>
 *
 * @param handlerId the dedupe scope: each handler id sees each event once. Choose it once and keep
 *     it when classes are renamed; 1 to 200 characters, no control characters or unpaired
 *     surrogates
 * @param source the event's source; the identity of an event is (source, id), compared as text
 *     (CloudEvents 1.0.2, "id")
 * @param eventId the event's id; not empty
 * @param idempotency how redeliveries are recognised
 * @param eventTime when the event was produced ({@code ce_time}), the same in every delivery, or
 *     null when it is not known. An id that is a UUIDv7 holds its own time and is believed first,
 *     unless it is more than 30 days before or ten years after this one. A dedupe row without
 *     either is kept for ever
 * @param version the entity version to guard with, or null for no guard
 * @param fence the owner's fence, which must still be the newest when the effect is committed; null
 *     for none
 * @param offset the record's offset; present with {@link Idempotency#OFFSET}, else empty
 * @param settings the values of the inbox's bound settings in this transaction, by name
 */
public record InboxEntry(
    String handlerId,
    URI source,
    String eventId,
    Idempotency idempotency,
    @Nullable Instant eventTime,
    @Nullable EntityVersion version,
    @Nullable Fence fence,
    OptionalLong offset,
    Map<String, String> settings) {

  private static final int LONGEST_HANDLER_ID = 200;

  /** How the inbox recognises an event that comes again. */
  public enum Idempotency {
    /** It does not. */
    NONE,
    /** By a dedupe row for each event and handler. */
    EVENT,
    /**
     * By the offset, in one row for each partition and group. For handlers that take the events of
     * a partition in order, one after the other: an event whose offset is not above the last one
     * committed is a duplicate, so one that is overtaken is never applied. It does not recognise an
     * event that its producer has sent twice. Not to be combined with {@link Mode#NEXT}.
     */
    OFFSET
  }

  /** Which versions of an entity are applied. */
  public enum Mode {
    /** Every version that is newer than the last one applied. Older ones are stale. */
    LATEST,
    /** Only the version right after the last one applied. Older ones are stale, others a gap. */
    NEXT
  }

  /**
   * Checks the parts.
   *
   * @throws IllegalArgumentException if the handler id or event id is empty or malformed, or an
   *     offset is missing, too much or negative, or idempotency by offset goes with {@link
   *     Mode#NEXT}
   */
  public InboxEntry {
    requireNonNull(handlerId, "handlerId");
    requireNonNull(source, "source");
    requireNonNull(eventId, "eventId");
    requireNonNull(idempotency, "idempotency");
    requireNonNull(offset, "offset");
    settings = Map.copyOf(settings);
    if (!isHandlerId(handlerId)) {
      throw new IllegalArgumentException(
          "handlerId must be 1 to "
              + LONGEST_HANDLER_ID
              + " characters without control characters or unpaired surrogates");
    }
    if (eventId.isEmpty()) {
      throw new IllegalArgumentException(
          "eventId is empty: handler " + handlerId + " cannot tell the event from others");
    }
    if (idempotency == Idempotency.OFFSET && (fence == null || offset.isEmpty())) {
      throw new IllegalArgumentException(
          "idempotency OFFSET needs a fence and an offset: use atOffset(fence, offset)");
    }
    if (idempotency != Idempotency.OFFSET && offset.isPresent()) {
      throw new IllegalArgumentException("an offset is for idempotency OFFSET only");
    }
    if (idempotency == Idempotency.OFFSET && version != null && version.mode() == Mode.NEXT) {
      throw new IllegalArgumentException(
          "atOffset and a version that must come next cannot go together for handler "
              + handlerId
              + ": an event that is a gap counts as done by its offset as soon as a later one is"
              + " applied; use idempotency EVENT, or EntityVersion.latest");
    }
    if (offset.isPresent() && (offset.getAsLong() < 0 || offset.getAsLong() == Long.MAX_VALUE)) {
      throw new IllegalArgumentException("not an offset: " + offset.getAsLong());
    }
  }

  /** Whether the text can be a handler id. */
  public static boolean isHandlerId(String text) {
    return !text.isBlank()
        && text.length() <= LONGEST_HANDLER_ID
        && text.codePoints()
            .noneMatch(
                c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
  }

  /** An entry with {@link Idempotency#EVENT} and nothing else. */
  public static InboxEntry of(String handlerId, URI source, String eventId) {
    return new InboxEntry(
        handlerId,
        source,
        eventId,
        Idempotency.EVENT,
        null,
        null,
        null,
        OptionalLong.empty(),
        Map.of());
  }

  /**
   * The same entry with another idempotency; an offset is dropped.
   *
   * @throws IllegalArgumentException for {@link Idempotency#OFFSET}; use {@link #atOffset}
   */
  public InboxEntry withIdempotency(Idempotency idempotency) {
    return new InboxEntry(
        handlerId,
        source,
        eventId,
        idempotency,
        eventTime,
        version,
        fence,
        OptionalLong.empty(),
        settings);
  }

  /**
   * The same entry, with {@link Idempotency#OFFSET} at {@code offset} under {@code fence}.
   *
   * @throws IllegalArgumentException if its version is one of {@link Mode#NEXT}: a gap would be
   *     overtaken, and then count as done
   */
  public InboxEntry atOffset(Fence fence, long offset) {
    return new InboxEntry(
        handlerId,
        source,
        eventId,
        Idempotency.OFFSET,
        eventTime,
        version,
        fence,
        OptionalLong.of(offset),
        settings);
  }

  /** The same entry of an event that was produced at {@code eventTime} (null: not known). */
  public InboxEntry withEventTime(@Nullable Instant eventTime) {
    return new InboxEntry(
        handlerId, source, eventId, idempotency, eventTime, version, fence, offset, settings);
  }

  /**
   * The same entry, guarded by {@code version} (null: not guarded).
   *
   * @throws IllegalArgumentException if it is one of {@link Mode#NEXT} and the entry has {@link
   *     Idempotency#OFFSET}: a gap would be overtaken, and then count as done
   */
  public InboxEntry withVersion(@Nullable EntityVersion version) {
    return new InboxEntry(
        handlerId, source, eventId, idempotency, eventTime, version, fence, offset, settings);
  }

  /** The same entry under {@code fence} (null: not fenced). */
  public InboxEntry withFence(@Nullable Fence fence) {
    return new InboxEntry(
        handlerId, source, eventId, idempotency, eventTime, version, fence, offset, settings);
  }

  /** The same entry with these settings and no others. */
  public InboxEntry withSettings(Map<String, String> settings) {
    return new InboxEntry(
        handlerId, source, eventId, idempotency, eventTime, version, fence, offset, settings);
  }

  /**
   * The same entry with one more setting.
   *
   * @param name one of the inbox's {@link JdbcInbox.Builder#boundSettings bound settings}
   * @param value its value until the transaction ends
   */
  public InboxEntry withSetting(String name, String value) {
    Map<String, String> more = new HashMap<>(settings);
    more.put(name, value);
    return withSettings(more);
  }

  /**
   * The version an entity has after the event.
   *
   * @param scope what the key is unique in; the topic for events read from Kafka
   * @param key the entity key. Spell it the same way every time
   * @param version the entity's version, monotonic per entity. An event whose version is not
   *     greater than the one last applied is stale, even when it is equal
   * @param mode which versions are applied
   * @param first for {@link Mode#NEXT}: the version that an entity begins with of which none was
   *     applied yet; those below it are stale, those above it a gap. Empty: whichever comes first.
   *     Without meaning once a version was applied, and for {@link Mode#LATEST}
   * @param row the handler's own row that holds the applied version, or null for the inbox's table
   */
  public record EntityVersion(
      String scope,
      String key,
      long version,
      Mode mode,
      OptionalLong first,
      @Nullable GuardedRow row) {
    /** Checks that nothing is missing. */
    public EntityVersion {
      requireNonNull(scope, "scope");
      requireNonNull(key, "key");
      requireNonNull(mode, "mode");
      requireNonNull(first, "first");
    }

    /** As {@link #latest}. */
    public EntityVersion(String scope, String key, long version) {
      this(scope, key, version, Mode.LATEST, OptionalLong.empty(), null);
    }

    /** Applied when it is newer than what was applied before. */
    public static EntityVersion latest(String scope, String key, long version) {
      return new EntityVersion(scope, key, version);
    }

    /**
     * Applied when it comes right after what was applied before; an entity begins with version 1.
     *
     * @throws IllegalArgumentException if the version is below 1: name the first one with {@link
     *     #next(String, String, long, long)}
     */
    public static EntityVersion next(String scope, String key, long version) {
      if (version < 1) {
        throw new IllegalArgumentException(
            "version "
                + version
                + " is below 1, with which entities begin; where they begin with 0, use"
                + " EntityVersion.next(scope, key, version, 0)");
      }
      return next(scope, key, version, 1);
    }

    /**
     * Applied when it comes right after what was applied before; an entity begins with {@code
     * first}, and versions below that count as applied. Use it for entities whose versions begin
     * with 0, or whose state up to {@code first - 1} was brought in by other means.
     */
    public static EntityVersion next(String scope, String key, long version, long first) {
      return new EntityVersion(scope, key, version, Mode.NEXT, OptionalLong.of(first), null);
    }

    /**
     * Applied when it comes right after what was applied before; an entity begins with whichever
     * version comes first. Use it for a handler that joins late and can do without the past.
     */
    public static EntityVersion nextFromAny(String scope, String key, long version) {
      return new EntityVersion(scope, key, version, Mode.NEXT, OptionalLong.empty(), null);
    }

    /**
     * The same version, guarded on the handler's own row instead of the inbox's table: the row
     * whose {@code keyColumn} equals the key is locked and its {@code versionColumn} compared. An
     * absent row, or one whose version is null, is an entity of which nothing was applied yet. The
     * handler itself must write the version, in every event that it applies. The scope is not
     * looked at.
     *
     * @param table the table's name, optionally with its schema in front of a dot
     * @param keyColumn a column with a unique index; the key is compared in the column's own type
     * @param versionColumn an integer column
     * @throws IllegalArgumentException if a name is not a plain identifier
     */
    public EntityVersion onRow(String table, String keyColumn, String versionColumn) {
      return new EntityVersion(
          scope, key, version, mode, first, new GuardedRow(table, keyColumn, versionColumn));
    }
  }

  /**
   * Where handlers keep the applied version in their own table.
   *
   * @param table the table's name as the database stores it (lower case unless it was created in
   *     quotes), optionally with its schema in front of a dot
   * @param keyColumn the column with the entity key
   * @param versionColumn the column with the version
   */
  public record GuardedRow(String table, String keyColumn, String versionColumn) {
    private static final String NAME = "[\\p{L}_][\\p{L}\\p{N}_$]{0,62}";
    private static final Pattern COLUMN = Pattern.compile(NAME);
    private static final Pattern TABLE = Pattern.compile("(?:" + NAME + "\\.)?" + NAME);

    /**
     * Checks the names.
     *
     * @throws IllegalArgumentException if one is not a plain identifier
     */
    public GuardedRow {
      check("table", table, TABLE);
      check("keyColumn", keyColumn, COLUMN);
      check("versionColumn", versionColumn, COLUMN);
    }

    private static void check(String what, String name, Pattern pattern) {
      if (!pattern.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "onRow: "
                + what
                + " must be a plain identifier of letters, digits, _ and $, at most 63 long");
      }
    }
  }
}
