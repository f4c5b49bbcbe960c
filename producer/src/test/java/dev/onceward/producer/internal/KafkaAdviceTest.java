package dev.onceward.producer.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import javax.security.auth.login.LoginException;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.IllegalSaslStateException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KafkaAdviceTest {

  private static final String PASSWORD = "s3cr3t-pass";

  private final KafkaAdvice advice =
      KafkaAdvice.on(
          Map.of(
              "interceptor.classes",
              "com.acme.First,com.acme.NoSuchInterceptor",
              "ssl.truststore.location",
              "/no/such/trust.p12",
              "bootstrap.servers",
              List.of("broker-1:9092", "broker-2:9092"),
              "max.block.ms",
              2_500,
              "security.protocol",
              "SASL_SSL",
              "sasl.jaas.config",
              "org.apache.kafka.common.security.plain.PlainLoginModule required"
                  + " username=\"billing\" password=\""
                  + PASSWORD
                  + "\";",
              "ssl.key.password",
              "qz"));

  static List<Arguments> usualCauses() {
    TimeoutException unknownTopic =
        new TimeoutException(
            "Topic orders not present in metadata after 2500 ms.",
            new UnknownTopicOrPartitionException());
    return List.of(
        Arguments.of(
            new TimeoutException("Topic orders not present in metadata after 2500 ms."),
            List.of(
                "bootstrap.servers=broker-1:9092,broker-2:9092",
                "max.block.ms=2500",
                "security.protocol=SASL_SSL")),
        Arguments.of(unknownTopic, List.of("topic does not exist", "auto.create.topics.enable")),
        Arguments.of(
            new UnknownTopicOrPartitionException("This server does not host this"),
            List.of("topic does not exist")),
        Arguments.of(
            new TimeoutException("Expiring 3 record(s) for orders-0:120000 ms has passed"),
            List.of("delivery.timeout.ms=120000", "min.insync.replicas")),
        Arguments.of(
            new BufferExhaustedException("Failed to allocate 16384 bytes"),
            List.of("buffer.memory", "max.block.ms=2500")),
        Arguments.of(
            new SaslAuthenticationException("Authentication failed"),
            List.of("credentials", "sasl.jaas.config", "sasl.mechanism")),
        Arguments.of(
            new UnsupportedSaslMechanismException("Client SASL mechanism 'PLAIN' not enabled"),
            List.of("sasl.mechanism", "'PLAIN' not enabled")),
        Arguments.of(
            new SslAuthenticationException("SSL handshake failed"),
            List.of("ssl.truststore.location", "SSL handshake failed")),
        Arguments.of(
            new TopicAuthorizationException(Set.of("orders")),
            List.of("permission for topic orders", "ACL", "sasl.jaas.config")),
        Arguments.of(
            GroupAuthorizationException.forGroupId("billing"), List.of("group billing", "ACL")),
        Arguments.of(
            new ClusterAuthorizationException("no"),
            List.of("IDEMPOTENT_WRITE", "enable.idempotence")),
        Arguments.of(
            new RecordTooLargeException(
                "The message is 2000000 bytes when serialized which is larger than 1048576, which is"
                    + " the value of the max.request.size configuration."),
            List.of("max.request.size", "max.message.bytes", "2000000")),
        Arguments.of(
            new RecordTooLargeException(
                "The request included a message larger than the max message size the server will"
                    + " accept."),
            List.of("max.message.bytes", "message.max.bytes")),
        Arguments.of(new NotEnoughReplicasException("x"), List.of("min.insync.replicas")),
        Arguments.of(
            new KafkaException(
                "Failed to construct kafka producer",
                new ConfigException("No resolvable bootstrap urls given in bootstrap.servers")),
            List.of("bootstrap.servers=broker-1:9092,broker-2:9092", "DNS")),
        Arguments.of(
            new ConfigException("linger.ms", "xyz", "Not a number of type LONG"),
            List.of("linger.ms", "xyz")),
        Arguments.of(
            new IllegalArgumentException("Heartbeat must be set lower than the session timeout"),
            List.of("Kafka property is not valid", "Heartbeat")),
        Arguments.of(
            new KafkaException(new ClassNotFoundException("com.acme.NoSuchInterceptor")),
            List.of("com.acme.NoSuchInterceptor (interceptor.classes)", "class path")),
        Arguments.of(
            new KafkaException(
                "Failed to load SSL keystore", new NoSuchFileException("/no/such/trust.p12")),
            List.of("/no/such/trust.p12 (ssl.truststore.location)", "does not exist")),
        Arguments.of(
            new KafkaException(new LoginException("No LoginModule found for com.acme.Login")),
            List.of("sasl.jaas.config", "com.acme.Login")),
        Arguments.of(
            new IllegalSaslStateException("Unexpected handshake request"),
            List.of("bootstrap.servers=broker-1", "security.protocol=SASL_SSL", "sasl.mechanism")),
        Arguments.of(new IllegalStateException(), List.of("IllegalStateException")));
  }

  @ParameterizedTest
  @MethodSource("usualCauses")
  void eachUsualCauseNamesItsSettingInOneLine(Throwable error, List<String> expected) {
    for (Throwable wrapped :
        List.of(error, new ExecutionException(error), new CompletionException(error))) {
      assertThat(advice.explain(wrapped))
          .contains(expected)
          .doesNotContain("\n")
          .doesNotEndWith(".");
    }
  }

  @Test
  void aSecretInKafkasMessageIsHidden() {
    KafkaException error = new KafkaException("login of billing with " + PASSWORD + " failed");

    assertThat(advice.explain(error)).contains("[hidden]").doesNotContain(PASSWORD);
    assertThat(advice.safeCause(error)).isNull();
    assertThat(advice.safeCause(new KafkaException("outer", error))).isNull();
  }

  @Test
  void aMessageWithASecretTooShortToReplaceIsNotShown() {
    assertThat(advice.explain(new KafkaException("key password qz is wrong")))
        .isEqualTo("KafkaException");
  }

  @Test
  void anErrorWithoutSecretsIsKeptAsTheCause() {
    TimeoutException error = new TimeoutException("Topic orders not present");

    assertThat(advice.safeCause(error)).isSameAs(error);
  }

  @Test
  void whatTheParserOfCredentialsSaysIsNeverShown() {
    KafkaAdvice broken =
        KafkaAdvice.on(Map.of("bootstrap.servers", "b:1", "sasl.jaas.config", "oops p4ssw0rd;"));
    IllegalArgumentException error =
        new IllegalArgumentException("Invalid login module control flag 'p4ssw0rd' in JAAS config");

    assertThat(broken.explain(new KafkaException("Failed to construct kafka producer", error)))
        .startsWith("sasl.jaas.config cannot be read")
        .doesNotContain("p4ssw0rd");
    assertThat(broken.safeCause(error)).isNull();
  }

  @Test
  void aLongMessageIsCutAndKeptOnOneLine() {
    String explained = advice.explain(new KafkaException("line\n".repeat(1_000)));

    assertThat(explained).doesNotContain("\n").hasSizeLessThan(400);
  }
}
