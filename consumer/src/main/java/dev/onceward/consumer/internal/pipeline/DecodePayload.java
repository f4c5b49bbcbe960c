package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.consumer.internal.handler.Route.PayloadParameter;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.PayloadException;
import dev.onceward.envelope.PayloadMapper;
import org.jspecify.annotations.Nullable;

/** Maps the event's data to the payload its handler takes. */
final class DecodePayload implements Interceptor {

  private final PayloadMapper mapper;

  DecodePayload(PayloadMapper mapper) {
    this.mapper = mapper;
  }

  @Override
  public Outcome intercept(Chain chain) throws Exception {
    PipelineChain pipeline = PipelineChain.of(chain);
    Route route = pipeline.route();
    if (route.payload() != null) {
      pipeline.payload(decode(chain.delivery().event(), route, route.payload()));
    }
    return chain.proceed(chain.delivery());
  }

  private @Nullable Object decode(Event event, Route route, PayloadParameter parameter) {
    if (event.getData() == null && parameter.type() instanceof Class<?>) {
      if (!parameter.nullable()) {
        throw new PayloadException(
            "event "
                + event.getId()
                + " has no data, but "
                + route.name()
                + " takes "
                + parameter.type().getTypeName()
                + "; let the handler take a @Nullable or Optional payload, or the Event or Delivery",
            null);
      }
      return null;
    }
    return mapper.read(event, parameter.type());
  }
}
