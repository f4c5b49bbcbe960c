package dev.onceward.consumer.internal.handler;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Lease;
import dev.onceward.consumer.internal.handler.Route.Input;
import dev.onceward.envelope.Event;
import io.cloudevents.CloudEvent;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** What a handler's parameter is filled with. */
enum HandlerParameter {
  EVENT {
    @Override
    Object resolve(Input input, @Nullable Connection tx) {
      return input.delivery().event();
    }
  },
  DELIVERY {
    @Override
    Object resolve(Input input, @Nullable Connection tx) {
      return input.delivery();
    }
  },
  LEASE {
    @Override
    Object resolve(Input input, @Nullable Connection tx) {
      return input.delivery().lease();
    }
  },
  CONNECTION {
    @Override
    @Nullable Object resolve(Input input, @Nullable Connection tx) {
      return tx;
    }
  },
  RECORD {
    @Override
    Object resolve(Input input, @Nullable Connection tx) {
      return input.delivery().record();
    }
  },
  PAYLOAD {
    @Override
    @Nullable Object resolve(Input input, @Nullable Connection tx) {
      return input.payload();
    }
  };

  abstract @Nullable Object resolve(Input input, @Nullable Connection tx);

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

  /** Why a parameter of this type cannot be filled, or null when it can. */
  static @Nullable String problem(Class<?> type) {
    if (of(type) != PAYLOAD) {
      return null;
    }
    if (Collection.class.isAssignableFrom(type)) {
      return "takes a "
          + type.getSimpleName()
          + "; take one payload, or a List<...> of payloads, events or deliveries";
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

  /** The class of a type, without its type arguments; null for a type variable. */
  static @Nullable Class<?> rawType(Type type) {
    if (type instanceof ParameterizedType parameterized) {
      return rawType(parameterized.getRawType());
    }
    return type instanceof Class<?> plain ? plain : null;
  }

  /**
   * Whether a payload parameter takes the null or empty of an event without data.
   *
   * @param type its type, or that of the elements of its list
   * @param declared annotations that stand at the parameter itself
   */
  static boolean acceptsNoData(AnnotatedType type, Annotation... declared) {
    return rawType(type.getType()) == Optional.class
        || Stream.concat(Arrays.stream(declared), Arrays.stream(type.getAnnotations()))
            .map(Annotation::annotationType)
            .anyMatch(annotation -> annotation.getSimpleName().equals("Nullable"));
  }
}
