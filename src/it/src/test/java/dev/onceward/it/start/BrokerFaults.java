package dev.onceward.it.start;

import static dev.onceward.it.start.ConsumerSetup.SECRET;
import static dev.onceward.it.start.StartFault.SHORT;
import static dev.onceward.it.start.StartFault.plain;
import static dev.onceward.it.start.StartFault.withPasswords;

import dev.onceward.testkit.TcpProxy;
import java.util.stream.Stream;

/** What can be wrong about brokers, topics and Kafka properties. */
final class BrokerFaults {

  private BrokerFaults() {}

  /**
   * What is wrong about where the brokers are.
   *
   * @param otherPort a port on which something else listens
   */
  static Stream<StartFault> ofTheAddress(int otherPort) {
    return Stream.of(
        plain(
            "closed port",
            setup -> {
              setup.kafka("bootstrap.servers", "127.0.0.1:" + Ports.closed());
              setup.startTimeout = SHORT;
            },
            "bootstrap.servers=127.0.0.1:",
            "check the address"),
        plain(
            "host that does not exist",
            setup -> {
              setup.kafka("bootstrap.servers", "no-such-host.invalid:9092");
              setup.startTimeout = SHORT;
            },
            "bootstrap.servers=no-such-host.invalid:9092",
            "resolved"),
        plain(
            "broker that does not answer",
            setup -> {
              TcpProxy proxy = TcpProxy.to(otherPort);
              setup.opened.add(proxy);
              proxy.freeze();
              setup.kafka("bootstrap.servers", "127.0.0.1:" + proxy.port());
              setup.startTimeout = SHORT;
            },
            "bootstrap.servers=127.0.0.1:"),
        plain(
            "address without port",
            setup -> setup.kafka("bootstrap.servers", "localhost"),
            "bootstrap.servers"),
        plain(
            "authentication where there is none",
            setup -> credentials(setup, "app", "wrong-" + SECRET),
            "bootstrap.servers=",
            "security.protocol=SASL_PLAINTEXT"),
        plain(
            "TLS where there is none",
            setup -> {
              setup.kafka("security.protocol", "SSL");
              setup.startTimeout = SHORT;
            },
            "security.protocol"));
  }

  /** What is wrong about topics. */
  static Stream<StartFault> ofTopics() {
    return Stream.of(
        plain(
            "topic that does not exist",
            setup -> setup.topic = "no.such.topic",
            "topics: no.such.topic does not exist; create it"),
        plain(
            "topic with an illegal name",
            setup -> setup.topic = "orders events",
            "topics: ",
            "orders events",
            "legal"),
        plain(
            "missing dead-letter topic",
            setup -> setup.createDeadLetterTopics = false,
            "dead-letter topics: ",
            ".dlq does not exist; create it, or set createDeadLetterTopics(true)"));
  }

  /** What is wrong about who asks, on a broker that lets one user in. */
  static Stream<StartFault> ofCredentials(String user, String password) {
    return Stream.of(
        withPasswords(
            "wrong password",
            setup -> credentials(setup, user, "wrong-" + SECRET),
            "sasl.jaas.config",
            "refused the credentials"),
        withPasswords(
            "unknown user", setup -> credentials(setup, "nobody", password), "sasl.jaas.config"),
        withPasswords(
            "mechanism that is not offered",
            setup ->
                setup
                    .kafka("sasl.mechanism", "SCRAM-SHA-256")
                    .kafka(
                        "sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required"
                            + " username=\"app\" password=\""
                            + SECRET
                            + "\";"),
            "sasl.mechanism"),
        withPasswords(
            "JAAS entry without its end",
            setup ->
                setup.kafka(
                    "sasl.jaas.config",
                    "org.apache.kafka.common.security.plain.PlainLoginModule required"
                        + " username=\"app\" password=\""
                        + SECRET),
            "sasl.jaas.config cannot be read"),
        withPasswords(
            "no authentication where it is asked for",
            setup -> {
              setup.kafka("security.protocol", "PLAINTEXT");
              setup.startTimeout = SHORT;
            },
            "bootstrap.servers=",
            "security.protocol=PLAINTEXT"));
  }

  /** What Kafka's clients refuse. */
  static Stream<StartFault> ofProperties() {
    return Stream.of(
        plain("number", setup -> setup.kafka("session.timeout.ms", "soon"), "session.timeout.ms"),
        plain("choice", setup -> setup.kafka("isolation.level", "some"), "isolation.level"),
        plain("protocol", setup -> setup.kafka("group.protocol", "new"), "group.protocol"),
        plain(
            "offset reset",
            setup -> setup.kafka("auto.offset.reset", "start"),
            "auto.offset.reset"),
        plain(
            "class that does not exist",
            setup -> setup.kafka("partition.assignment.strategy", "com.acme.NoSuchAssignor"),
            "com.acme.NoSuchAssignor",
            "partition.assignment.strategy"),
        plain(
            "two that contradict",
            setup ->
                setup.kafka("heartbeat.interval.ms", 60_000).kafka("session.timeout.ms", 6_000),
            "Kafka property",
            "Heartbeat must be set lower"),
        plain(
            "of the producer of dead letters",
            setup -> setup.kafka("compression.type", "brotli"),
            "compression.type"),
        plain("less than all acknowledgements", setup -> setup.kafka("acks", "1"), "acks", "all"),
        plain(
            "key store that is missing",
            setup ->
                setup
                    .kafka("security.protocol", "SSL")
                    .kafka("ssl.truststore.location", "/no/such/trust.p12")
                    .kafka("ssl.truststore.password", SECRET),
            "/no/such/trust.p12 (ssl.truststore.location)"));
  }

  private static void credentials(ConsumerSetup setup, String user, String password) {
    setup
        .kafka("security.protocol", "SASL_PLAINTEXT")
        .kafka("sasl.mechanism", "PLAIN")
        .kafka(
            "sasl.jaas.config",
            "org.apache.kafka.common.security.plain.PlainLoginModule required username=\""
                + user
                + "\" password=\""
                + password
                + "\";");
  }
}
