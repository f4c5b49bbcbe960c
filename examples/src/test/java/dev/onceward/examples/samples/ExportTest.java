package dev.onceward.examples.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.consumer.Lease;
import dev.onceward.consumer.LeaseLoss;
import dev.onceward.consumer.LeaseLostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A test of a handler as a plain method, with a lease of the test's own. */
class ExportTest {

  record TestLease(CompletableFuture<LeaseLoss> lost) implements Lease {

    @Override
    public Duration remaining() {
      return isLost() ? Duration.ZERO : Duration.ofMinutes(30);
    }

    @Override
    public void extend(Duration fromNow) {
      check();
    }

    @Override
    public boolean isLost() {
      return lost.isDone();
    }

    @Override
    public void check() {
      if (isLost()) {
        throw new LeaseLostException(lost.join(), "lost by the test", null);
      }
    }
  }

  @Test
  void noPageIsWrittenOnceTheLeaseIsLost(@TempDir Path directory) {
    Export export = new Export(HttpClient.newHttpClient(), HttpRequest.newBuilder(), directory);
    Lease lost = new TestLease(CompletableFuture.completedFuture(LeaseLoss.EXPIRED));

    assertThatThrownBy(() -> export.closed(new OrderPlaced("order-1", 990), lost))
        .isInstanceOf(LeaseLostException.class);
    assertThat(directory).isEmptyDirectory();
  }
}
