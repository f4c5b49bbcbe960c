package dev.onceward.it.outbox;

import dev.onceward.it.scene.AppConfiguration;
import io.debezium.embedded.Connect;
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.connect.converters.ByteArrayConverter;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;

/**
 * What a Kafka Connect worker does with Debezium's connector: runs it, converts its records with
 * the converters of Connect and sends them. In a JVM of its own, on the Kafka clients that Debezium
 * was built with.
 */
public final class DebeziumApp {

  static final String ENGINE = "engine.";
  static final String READING = "reading";

  private DebeziumApp() {}

  public static void main(String[] args) throws Exception {
    AppConfiguration configuration = AppConfiguration.read();
    try (Producer<byte[], byte[]> producer =
            new KafkaProducer<>(
                configuration.kafka(), new ByteArraySerializer(), new ByteArraySerializer());
        ByteArrayConverter values = new ByteArrayConverter();
        SimpleHeaderConverter headers = new SimpleHeaderConverter();
        DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> engine =
            DebeziumEngine.create(Connect.class)
                .using(configuration.startingWith(ENGINE))
                .using(
                    new DebeziumEngine.ConnectorCallback() {
                      @Override
                      public void pollingStarted() {
                        System.out.println(READING);
                      }
                    })
                .using((success, message, error) -> System.out.println("end: " + message))
                .notifying(
                    change -> {
                      var unused = producer.send(converted(change.value(), values, headers));
                      producer.flush();
                    })
                .build()) {
      values.configure(Map.of(), false);
      headers.configure(Map.of());
      engine.run();
    }
  }

  private static ProducerRecord<byte[], byte[]> converted(
      SourceRecord record, ByteArrayConverter values, SimpleHeaderConverter converter) {
    Headers headers = new RecordHeaders();
    record
        .headers()
        .forEach(
            header ->
                headers.add(
                    header.key(),
                    converter.fromConnectHeader(
                        record.topic(), header.key(), header.schema(), header.value())));
    return new ProducerRecord<>(
        record.topic(),
        null,
        (Long) null,
        values.fromConnectData(record.topic(), record.keySchema(), record.key()),
        values.fromConnectData(record.topic(), record.valueSchema(), record.value()),
        headers);
  }

  /** The engine's part of a configuration; in the test. */
  static void putEngine(Properties configuration, Properties engine) {
    engine.forEach((name, value) -> configuration.put(ENGINE + name, value));
  }
}
