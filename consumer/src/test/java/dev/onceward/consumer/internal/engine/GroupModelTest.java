package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.internal.engine.ModelGroup.Settings;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Whatever happens in whatever order to members of a group, partitions, commits and processes:
 * nothing is lost, overtaken, called done before it is, or done again without need, and everything
 * comes to its end. No broker, no threads; a failure prints what led to it and its seed.
 */
class GroupModelTest {

  private static final Logger LOGGER = Logger.getLogger("dev.onceward.consumer");
  private static final int MAX_CRASHES = 3;

  @BeforeContainer
  static void quiet() {
    LOGGER.setLevel(Level.OFF);
  }

  @AfterContainer
  static void loud() {
    LOGGER.setLevel(null);
  }

  @Property(tries = 500)
  void nothingIsLostOvertakenOrStuckWhateverGoesWrong(
      @ForAll @Size(min = 50, max = 600) List<@IntRange(min = 0, max = 9_999) Integer> numbers,
      @ForAll @IntRange(min = 1, max = 3) int concurrency,
      @ForAll @IntRange(min = 4, max = 30) int maxRecords,
      @ForAll @IntRange(min = 0, max = 3) int notes) {
    int maxChars = new int[] {4096, 100, 48, 10}[notes];
    ModelGroup group = new ModelGroup(settings(concurrency, maxRecords, maxChars));
    drive(group, numbers, true, maxChars < 64 ? 0 : 3);
  }

  @Property(tries = 300)
  void killersDieABoundedNumberOfTimesAndAllElseIsDone(
      @ForAll @Size(min = 50, max = 400) List<@IntRange(min = 0, max = 9_999) Integer> numbers,
      @ForAll @IntRange(min = 1, max = 3) int concurrency,
      @ForAll @IntRange(min = 4, max = 30) int maxRecords) {
    ModelGroup group = new ModelGroup(settings(concurrency, maxRecords, 4096));
    ModelDriver driver = drive(group, numbers, false, 3);
    // one before a commit could name it, two in the midst of others, and those that prove it
    assertThat(group.deaths).isLessThanOrEqualTo(driver.killers() * (MAX_CRASHES + 3));
    for (var id : group.ids()) {
      assertThat(group.log(id)).allMatch(record -> record.convicted == record.kills());
    }
  }

  @Property(tries = 60)
  void norAreManyKeysAtOnce(
      @ForAll @Size(min = 50, max = 600) List<@IntRange(min = 0, max = 9_999) Integer> numbers,
      @ForAll @IntRange(min = 1, max = 100) int concurrency,
      @ForAll boolean shortNotes) {
    Settings settings =
        new Settings(1, concurrency, 300, 120, 3, MAX_CRASHES, shortNotes ? 300 : 4096, 200, 60);
    drive(new ModelGroup(settings), numbers, true, 3);
  }

  private static Settings settings(int concurrency, int maxRecords, int maxChars) {
    return new Settings(2, concurrency, maxRecords, 4, 3, MAX_CRASHES, maxChars, 5, 4);
  }

  private static ModelDriver drive(
      ModelGroup group, List<Integer> numbers, boolean faults, int mostKillers) {
    Iterator<Integer> left = numbers.iterator();
    IntSupplier next = () -> left.hasNext() ? left.next() : 0;
    ModelDriver driver = new ModelDriver(group, next, faults, mostKillers);
    try {
      while (left.hasNext()) {
        driver.step();
      }
      driver.finishAll();
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + whatHappened(group), e);
    }
    return driver;
  }

  private static String whatHappened(ModelGroup group) {
    List<String> trace = group.trace();
    return "\n  after "
        + String.join("\n  ", trace.subList(Math.max(0, trace.size() - 60), trace.size()));
  }
}
