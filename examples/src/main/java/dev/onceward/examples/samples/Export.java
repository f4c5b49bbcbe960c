package dev.onceward.examples.samples;

import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.Lease;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

@EventHandlers(id = "export", topics = "orders.order.events")
final class Export {

  private final HttpClient http;
  private final HttpRequest.Builder ledger;
  private final Path directory;

  Export(HttpClient http, HttpRequest.Builder ledger, Path directory) {
    this.http = http;
    this.ledger = ledger;
    this.directory = directory;
  }

  @Handles("com.acme.orders.closed.v1")
  void closed(OrderPlaced order, Lease lease) throws IOException {
    for (String page : pages(order)) {
      lease.extend(Duration.ofMinutes(1)); // a page that hangs is found after a minute
      Files.writeString(directory.resolve(page), order.orderId());
    }
  }

  @Handles("com.acme.orders.placed.v1")
  CompletionStage<HttpResponse<Void>> placed(OrderPlaced order, Lease lease) {
    CompletableFuture<HttpResponse<Void>> call =
        http.sendAsync(request(order), BodyHandlers.discarding());
    lease.lost().thenAccept(loss -> call.cancel(true)); // or the call runs on beside the retry
    return call;
  }

  private static List<String> pages(OrderPlaced order) {
    return List.of(order.orderId() + "-1", order.orderId() + "-2");
  }

  private HttpRequest request(OrderPlaced order) {
    return ledger
        .copy()
        .POST(HttpRequest.BodyPublishers.ofString(String.valueOf(order.amountCents())))
        .build();
  }
}
