package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FlakyTest {

  @Test
  void eachKeyFailsItsFirstTimesAndThenGoesThrough() throws Exception {
    Flaky<String> flaky = Flaky.times(2, () -> new IOException("down"));
    List<String> handled = new ArrayList<>();
    Flaky.Handler<String> handler = flaky.wrap(handled::add);

    assertThatThrownBy(() -> handler.handle("a")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> handler.handle("b")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> handler.handle("a")).hasMessage("down");
    handler.handle("a");

    assertThat(handled).containsExactly("a");
    assertThat(flaky.calls("a")).isEqualTo(3);
    assertThat(flaky.calls("b")).isEqualTo(1);
    assertThat(flaky.calls("c")).isZero();
    assertThat(flaky.calls()).isEqualTo(4);
    assertThat(flaky.callsByKey()).containsEntry("a", 3).containsEntry("b", 1);
  }

  @Test
  void alwaysNeverGoesThrough() {
    Flaky<String> flaky = Flaky.always(() -> new IOException("down"));
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(() -> flaky.run("a", () -> {})).isInstanceOf(IOException.class);
    }
    assertThat(flaky.calls("a")).isEqualTo(10);
  }

  @Test
  void manyThreadsSeeExactlyTheFailuresOfAKey() throws Exception {
    Flaky<String> flaky = Flaky.times(100, () -> new IOException("down"));
    AtomicInteger done = new AtomicInteger();
    Callable<Integer> hundredCalls =
        () -> {
          int failed = 0;
          for (int i = 0; i < 100; i++) {
            try {
              flaky.run("a", done::incrementAndGet);
            } catch (IOException e) {
              failed++;
            }
          }
          return failed;
        };
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      int failed = 0;
      for (Future<Integer> one :
          threads.invokeAll(List.of(hundredCalls, hundredCalls, hundredCalls, hundredCalls))) {
        failed += one.get();
      }
      assertThat(failed).isEqualTo(100);
      assertThat(done.get()).isEqualTo(300);
      assertThat(flaky.calls("a")).isEqualTo(400);
    } finally {
      threads.shutdownNow();
    }
  }
}
