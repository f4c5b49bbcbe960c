package dev.onceward.producer.internal;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.IllegalSaslStateException;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/**
 * Says what is wrong when a Kafka client fails, in one line that names the setting and the fix.
 *
 * <p>Kafka's own messages are shown only where they add something, and never with a secret of the
 * properties in them. Immutable and thread-safe.
 */
public final class KafkaAdvice {

  private static final int MAX_QUOTED = 300;

  private final Secrets secrets;
  private final PropertyAdvice propertyAdvice;
  private final String brokers;
  private final String security;
  private final String maxBlock;
  private final String deliveryTimeout;

  private KafkaAdvice(Map<String, ?> properties) {
    Secrets hidden = new Secrets(properties);
    this.secrets = hidden;
    this.propertyAdvice = new PropertyAdvice(properties, message -> quote(hidden, message));
    this.brokers =
        CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG
            + '='
            + list(properties.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG));
    this.security = setting(properties, CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "PLAINTEXT");
    this.maxBlock = setting(properties, ProducerConfig.MAX_BLOCK_MS_CONFIG, "60000");
    this.deliveryTimeout = setting(properties, ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "120000");
  }

  /** Advice for a client (producer, consumer or admin) with these properties. */
  public static KafkaAdvice on(Map<String, ?> properties) {
    return new KafkaAdvice(properties);
  }

  /**
   * Explains {@code error}: what is wrong and which setting mends it, without line break and final
   * full stop. Wrappers are looked through.
   */
  public String explain(Throwable error) {
    Throwable cause = meaningful(error);
    if (cause instanceof TimeoutException timeout) {
      return timeout(timeout);
    }
    return authorization(cause)
        .or(() -> connection(cause))
        .or(() -> record(cause))
        .or(() -> client(cause))
        .or(() -> propertyAdvice.explain(cause))
        .orElseGet(() -> quoted(cause));
  }

  /** The error as a cause to attach, or null when its messages would show a secret. */
  public @Nullable Throwable safeCause(Throwable error) {
    return secrets.mayShow(error) && !mentionsJaas(error) ? error : null;
  }

  private String timeout(TimeoutException timeout) {
    String message = String.valueOf(timeout.getMessage());
    if (timeout instanceof BufferExhaustedException || message.contains("Failed to allocate")) {
      return "the send buffer stayed full for "
          + maxBlock
          + ": brokers take records more slowly than they are sent; send less at once or raise"
          + " buffer.memory";
    }
    if (timeout.getCause() instanceof UnknownTopicOrPartitionException) {
      return unknownTopic();
    }
    if (message.contains("with partition count")) {
      return "the topic has no such partition (" + quote(message) + ')';
    }
    if (message.contains("Expiring ")) {
      return "the brokers did not acknowledge it within "
          + deliveryTimeout
          + ": check that the partition has a leader and min.insync.replicas in-sync replicas, or"
          + " raise delivery.timeout.ms";
    }
    if (message.contains("not present in metadata")) {
      return unreachable("within " + maxBlock);
    }
    return unreachable("in time") + " (" + quote(message) + ')';
  }

  private String unreachable(String when) {
    return "no broker answered at "
        + brokers
        + ' '
        + when
        + ": check the address, that the broker is running, and that "
        + security
        + " is what its listener expects";
  }

  private static String unknownTopic() {
    return "the topic does not exist and the broker does not create it: create it or correct the"
        + " name (broker setting auto.create.topics.enable)";
  }

  private Optional<String> authorization(Throwable error) {
    if (error instanceof SaslAuthenticationException) {
      return Optional.of(
          "the broker refused the credentials: check user and password in sasl.jaas.config, and"
              + " sasl.mechanism");
    }
    if (error instanceof IllegalSaslStateException) {
      return Optional.of(
          "the listener at "
              + brokers
              + " asks for no SASL authentication: correct the address, or "
              + security
              + " and sasl.mechanism ("
              + quote(error)
              + ')');
    }
    if (error instanceof UnsupportedSaslMechanismException) {
      return Optional.of(
          "the broker does not offer this sasl.mechanism: set one that its listener has ("
              + quote(error)
              + ')');
    }
    if (error instanceof SslAuthenticationException) {
      return Optional.of(
          "the TLS handshake failed: check ssl.truststore.location, ssl.keystore.location and that"
              + " the host names at "
              + brokers
              + " match the certificate ("
              + quote(error.getMessage())
              + ')');
    }
    if (error instanceof TopicAuthorizationException topics) {
      return Optional.of(
          "the user has no permission for topic "
              + String.join(", ", topics.unauthorizedTopics())
              + ": add an ACL (WRITE to send, READ to consume, DESCRIBE) or use other credentials in"
              + " sasl.jaas.config");
    }
    if (error instanceof GroupAuthorizationException group) {
      return Optional.of(
          "the user has no permission for consumer group "
              + group.groupId()
              + ": add a READ ACL for the group or use other credentials in sasl.jaas.config");
    }
    if (error instanceof ClusterAuthorizationException) {
      return Optional.of(
          "the user has no permission on the cluster: add an IDEMPOTENT_WRITE ACL, which"
              + " enable.idempotence needs on brokers before 2.8, or use other credentials in"
              + " sasl.jaas.config");
    }
    return Optional.empty();
  }

  private Optional<String> connection(Throwable error) {
    if (error instanceof DisconnectException || error instanceof NetworkException) {
      return Optional.of(
          "the connection to a broker of " + brokers + " was lost: check that it is running");
    }
    // by name: the class is new in Kafka 4.4
    if (error.getClass().getSimpleName().equals("BootstrapResolutionException")
        || String.valueOf(error.getMessage()).contains("No resolvable bootstrap urls")) {
      return Optional.of(
          "no host name in " + brokers + " can be resolved: correct it or check DNS");
    }
    if (error instanceof UnsupportedVersionException) {
      return Optional.of(
          "the brokers at " + brokers + " are too old for this client (" + quote(error) + ')');
    }
    return Optional.empty();
  }

  private Optional<String> record(Throwable error) {
    if (error instanceof UnknownTopicOrPartitionException) {
      return Optional.of(unknownTopic());
    }
    if (error instanceof InvalidTopicException) {
      return Optional.of(
          "the topic name is not legal: use at most 249 letters, digits, '.', '_' and '-'");
    }
    if (error instanceof RecordTooLargeException || error instanceof RecordBatchTooLargeException) {
      return Optional.of(
          String.valueOf(error.getMessage()).contains(ProducerConfig.MAX_REQUEST_SIZE_CONFIG)
              ? "the record is larger than the producer allows: raise max.request.size and the"
                  + " topic's max.message.bytes, or keep large data elsewhere and send a reference ("
                  + quote(error)
                  + ')'
              : "the record is larger than the broker allows: raise the topic's max.message.bytes"
                  + " (broker setting message.max.bytes), or keep large data elsewhere and send a"
                  + " reference");
    }
    if (error instanceof NotEnoughReplicasException
        || error instanceof NotEnoughReplicasAfterAppendException) {
      return Optional.of(
          "fewer replicas are in sync than min.insync.replicas of the topic asks for: check the"
              + " brokers");
    }
    return Optional.empty();
  }

  private Optional<String> client(Throwable error) {
    if (mentionsJaas(error)) {
      // Kafka's parser quotes what it stumbles over, which may be a part of the password
      return Optional.of(
          SaslConfigs.SASL_JAAS_CONFIG
              + " cannot be read: it must be <LoginModule class> required name=\"value\" ... ;"
              + " with the final semicolon, and values with special characters in double quotes");
    }
    if (error instanceof NoOffsetForPartitionException) {
      return Optional.of(
          "the group has no committed offset and auto.offset.reset=none: set it to earliest or"
              + " latest, or commit a start offset");
    }
    if (error instanceof FencedInstanceIdException) {
      return Optional.of(
          "another consumer joined the group with the same group.instance.id: make it unique");
    }
    if (error instanceof InconsistentGroupProtocolException) {
      return Optional.of(
          "the group's other members use another protocol: make group.protocol and"
              + " partition.assignment.strategy the same in all of them");
    }
    if (error instanceof InterruptException || error instanceof InterruptedException) {
      return Optional.of("the thread was interrupted");
    }
    return Optional.empty();
  }

  private String quoted(Throwable error) {
    String name = error.getClass().getSimpleName();
    String message = quote(error);
    return message.isEmpty() ? name : name + ": " + message;
  }

  private String quote(Throwable error) {
    return quote(error.getMessage());
  }

  private String quote(@Nullable String message) {
    return quote(secrets, message);
  }

  /** Kafka's message on one line of bounded length, without secrets; empty when there is none. */
  private static String quote(Secrets secrets, @Nullable String message) {
    String shown = secrets.redact(message);
    if (shown == null) {
      return "";
    }
    String line = shown.replaceAll("\\s+", " ").trim();
    if (line.length() > MAX_QUOTED) {
      line = line.substring(0, MAX_QUOTED) + "...";
    }
    return line.endsWith(".") && !line.endsWith("..") ? line.substring(0, line.length() - 1) : line;
  }

  private static boolean mentionsJaas(Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      String message = String.valueOf(each.getMessage());
      if (message.contains("JAAS") || message.contains(SaslConfigs.SASL_JAAS_CONFIG)) {
        return true;
      }
    }
    return false;
  }

  /** The first error in the chain that says something itself. */
  private static Throwable meaningful(Throwable error) {
    Throwable known = error;
    while (known.getCause() != null
        && (known instanceof CompletionException
            || known instanceof ExecutionException
            || known.getClass() == KafkaException.class)) {
      known = known.getCause();
    }
    return known;
  }

  private static String setting(Map<String, ?> properties, String name, String kafkaDefault) {
    Object value = properties.get(name);
    return name + '=' + (value == null ? kafkaDefault : value);
  }

  private static String list(@Nullable Object value) {
    return value instanceof Collection<?> many
        ? many.stream().map(String::valueOf).collect(Collectors.joining(","))
        : String.valueOf(value);
  }
}
