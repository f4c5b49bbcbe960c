package dev.onceward.consumer.internal.handler;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Lease;
import dev.onceward.envelope.Event;
import io.cloudevents.CloudEvent;
import java.lang.annotation.Annotation;
import java.lang.reflect.Parameter;
import java.sql.Connection;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** What a handler's parameter is filled with. */
enum HandlerParameter {
  EVENT {
    @Override
    Object resolve(Delivery delivery, @Nullable Object payload, @Nullable Connection tx) {
      return delivery.event();
    }
  },
  DELIVERY {
    @Override
    Object resolve(Delivery delivery, @Nullable Object payload, @Nullable Connection tx) {
      return delivery;
    }
  },
  LEASE {
    @Override
    Object resolve(Delivery delivery, @Nullable Object payload, @Nullable Connection tx) {
      return delivery.lease();
    }
  },
  CONNECTION {
    @Override
    @Nullable Object resolve(Delivery delivery, @Nullable Object payload, @Nullable Connection tx) {
      return tx;
    }
  },
  RECORD {
    @Override
    Object resolve(Delivery delivery, @Nullable Object payload, @Nullable Connection tx) {
      return delivery.record();
    }
  },
  PAYLOAD {
    @Override
    @Nullable Object resolve(Delivery delivery, @Nullable Object payload, @Nullable Connection tx) {
      return payload;
    }
  };

  abstract @Nullable Object resolve(
      Delivery delivery, @Nullable Object payload, @Nullable Connection tx);

  static HandlerParameter of(Class<?> type) {
    if (type == Event.class || type == CloudEvent.class) {
      return EVENT;
    }
    if (type == Delivery.class) {
      return DELIVERY;
    }
    if (type == Lease.class) {
      return LEASE;
    }
    if (type == Connection.class) {
      return CONNECTION;
    }
    if (type == ConsumerRecord.class) {
      return RECORD;
    }
    return PAYLOAD;
  }

  /** Why a parameter of this type can not be filled, or null when it can. */
  static @Nullable String problem(Class<?> type) {
    if (of(type) != PAYLOAD) {
      return null;
    }
    if (List.class.isAssignableFrom(type)) {
      return "takes a List, but batches of events are not supported; take one payload";
    }
    if (type.isPrimitive()) {
      return "takes the primitive " + type + ", which no event's data maps to; take an object type";
    }
    if (type.getName().startsWith("java.sql.") || type.getName().startsWith("javax.sql.")) {
      return "takes " + type.getName() + "; take the transaction's java.sql.Connection";
    }
    if (type.getName().startsWith("org.apache.kafka.")) {
      return "takes " + type.getName() + "; take a ConsumerRecord<byte[], byte[]> or a Delivery";
    }
    return null;
  }

  /** Whether a payload parameter takes the null or empty of an event without data. */
  static boolean acceptsNoData(Parameter parameter) {
    return parameter.getType() == Optional.class
        || Stream.concat(
                Arrays.stream(parameter.getAnnotations()),
                Arrays.stream(parameter.getAnnotatedType().getAnnotations()))
            .map(Annotation::annotationType)
            .anyMatch(type -> type.getSimpleName().equals("Nullable"));
  }
}
