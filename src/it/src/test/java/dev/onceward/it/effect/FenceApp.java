package dev.onceward.it.effect;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.AppConfiguration;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import java.sql.Connection;

/**
 * A consumer in a JVM of its own, whose handler writes without any guarantee but the fence, and
 * takes its time between its write and the commit.
 */
public final class FenceApp {

  private FenceApp() {}

  public static void main(String[] args) throws Exception {
    AppConfiguration configuration = AppConfiguration.read();
    long handlerMillis = configuration.number("handlerMillis");
    try (Ledger ledger =
            Ledger.open(configuration.database(), configuration.get("database.schema"));
        EventConsumer consumer =
            EventConsumer.builder(configuration.kafka())
                .group(configuration.get("group"))
                .handlers(
                    LambdaHandlers.of("fenced", configuration.get("topic"))
                        .on(
                            Scene.NOTED,
                            Note.class,
                            (Note note, Delivery delivery, Connection tx) -> {
                              ledger.add(tx, "fenced", note.text());
                              System.out.println("written: " + note.text());
                              try {
                                Thread.sleep(handlerMillis);
                              } finally {
                                System.out.println("ended: " + note.text());
                              }
                            }))
                .inbox(JdbcInbox.on(ledger.dataSource()))
                .build()) {
      consumer.start();
      consumer.awaitStop();
    }
  }
}
