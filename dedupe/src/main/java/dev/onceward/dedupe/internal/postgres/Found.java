package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.internal.Batch;
import dev.onceward.dedupe.internal.EntityRow;
import dev.onceward.dedupe.internal.EventRow;
import dev.onceward.dedupe.internal.Facts;
import dev.onceward.dedupe.internal.FenceKey;
import dev.onceward.dedupe.internal.FenceState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** Gathers the rows of the claiming statement: kind, position from 1, two numbers and a text. */
record Found(
    Batch batch,
    List<String> handlers,
    List<EventRow> events,
    List<EntityRow.Own> own,
    List<Batch.Foreign> foreign,
    List<FenceKey> fences,
    State state) {

  /** What changes while rows come in. */
  private static final class State {
    private String leaked = "";
    private OptionalInt bucketSeconds = OptionalInt.empty();
    private int keptFrom;
    private final TreeSet<String> known = new TreeSet<>();
    private final HashSet<EventRow> inserted = new HashSet<>();
    private final Map<EntityRow, Long> applied = new HashMap<>();
    private final Map<FenceKey, FenceState> fences = new HashMap<>();
    private boolean advancedAll;
    private final Set<EntityRow.Own> advanced = new HashSet<>();
    private final Map<EntityRow.Own, Long> written = new HashMap<>();
  }

  Found(
      Batch batch,
      List<String> handlers,
      List<EventRow> events,
      List<EntityRow.Own> own,
      List<Batch.Foreign> foreign,
      List<FenceKey> fences) {
    this(batch, handlers, events, own, foreign, fences, new State());
    if (!events.isEmpty()) {
      state.bucketSeconds = OptionalInt.of(0);
    }
  }

  void add(ResultSet row) throws SQLException {
    String kind = row.getString(1);
    int position = row.getInt(2) - 1;
    long number = row.getLong(3);
    boolean none = row.wasNull();
    switch (kind) {
      case "s" -> state.leaked = row.getString(5);
      case "h" -> state.known.add(handlers.get(position));
      case "w" -> {
        state.bucketSeconds = OptionalInt.of((int) number);
        state.keptFrom = row.getInt(4);
      }
      case "n" -> {
        if (number == events.size()) {
          state.inserted.addAll(events);
        }
      }
      case "m" -> {
        if (number == own.size()) {
          state.advancedAll = true;
        }
      }
      case "u" -> state.advanced.add(own.get(position));
      case "d" -> state.inserted.add(events.get(position));
      case "v" -> state.applied.put(own.get(position), number);
      case "f" -> {
        long offset = row.getLong(4);
        state.fences.put(
            fences.get(position),
            new FenceState(number, row.wasNull() ? OptionalLong.empty() : OptionalLong.of(offset)));
      }
      default -> foreign(Integer.parseInt(kind.substring(1)), position, none ? null : number);
    }
  }

  private void foreign(int table, int position, @org.jspecify.annotations.Nullable Long version)
      throws SQLException {
    Batch.Foreign rows = foreign.get(table);
    EntityRow row = new EntityRow.Foreign(rows.where(), List.copyOf(rows.keys()).get(position));
    if (version != null && state.applied.put(row, version) != null) {
      throw new SQLException(
          "several rows of "
              + rows.where().table()
              + " have one "
              + rows.where().keyColumn()
              + "; onRow needs a column with a unique index",
          "21000");
    }
  }

  /** Whether there is anything to be made of what was found. */
  boolean isToBeJudged() {
    return state.leaked.isEmpty() && batch.handlersBut(state.known).isEmpty();
  }

  /** The first versions, of all own rows, are written where the rows were advanced. */
  void wrote(List<Long> firsts) {
    for (int i = 0; i < own.size(); i++) {
      if (state.advancedAll || state.advanced.contains(own.get(i))) {
        state.written.put(own.get(i), firsts.get(i));
      }
    }
  }

  List<EntityRow.Own> notWritten() {
    return state.advancedAll
        ? List.of()
        : own.stream().filter(row -> !state.written.containsKey(row)).toList();
  }

  void applied(EntityRow.Own row, long version) {
    state.applied.put(row, version);
  }

  Facts facts() {
    return new Facts(
        state.leaked,
        state.bucketSeconds,
        state.keptFrom,
        batch.handlersBut(state.known),
        state.inserted,
        state.applied,
        state.fences,
        state.written,
        false);
  }
}
