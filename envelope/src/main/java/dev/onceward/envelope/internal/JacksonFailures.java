package dev.onceward.envelope.internal;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.PropertyBindingException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says what Jackson found wrong, and where, in our own words: Jackson's quote the content. */
public final class JacksonFailures {

  private JacksonFailures() {}

  /** Such as "at $.lines[2].price (line 1, column 88): the value does not fit java.util.UUID". */
  public static String describe(Throwable error) {
    StringBuilder out = new StringBuilder();
    if (error instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
      out.append("at ").append(path(mapping)).append(' ');
    }
    JsonLocation location = error instanceof JacksonException json ? json.getLocation() : null;
    if (location != null && location.getLineNr() > 0) {
      out.append("(line %d, column %d)".formatted(location.getLineNr(), location.getColumnNr()));
    }
    return out.toString().strip() + (out.length() == 0 ? "" : ": ") + reason(error);
  }

  /**
   * A stand-in cause with the class and the stack of the original (a payload's own constructor
   * shows in it), but not its message.
   */
  public static Throwable withoutMessage(Throwable error) {
    Throwable deepest = error;
    while (deepest.getCause() != null && deepest.getCause() != deepest) {
      deepest = deepest.getCause();
    }
    return new Redacted(deepest);
  }

  private static String reason(Throwable error) {
    if (error instanceof ValueInstantiationException failed) {
      Throwable cause = failed.getCause();
      return "the constructor of %s failed%s"
          .formatted(
              failed.getType() == null ? "the target" : failed.getType().getRawClass().getName(),
              cause == null ? "" : " with " + cause.getClass().getName());
    }
    if (error instanceof PropertyBindingException) {
      return "a field is not known to the target";
    }
    if (error instanceof InvalidDefinitionException definition) {
      // about the class, not about the content
      String name =
          definition.getType() == null ? "the class" : definition.getType().getRawClass().getName();
      return name
          + " cannot be mapped: make it a record, or give it a constructor Jackson can use and"
          + " getters or public fields";
    }
    if (error instanceof MismatchedInputException mismatch) {
      Class<?> target = mismatch.getTargetType();
      return "the value does not fit " + (target == null ? "the target" : target.getName());
    }
    if (error instanceof JsonMappingException mapping) {
      Throwable cause = mapping.getCause();
      return "it does not map" + (cause == null ? "" : " (" + cause.getClass().getName() + ")");
    }
    return error instanceof JacksonException ? "it is not well-formed JSON" : "it cannot be read";
  }

  private static String path(JsonMappingException error) {
    StringBuilder path = new StringBuilder("$");
    for (JsonMappingException.Reference step : error.getPath()) {
      if (step.getFieldName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        // The keys of a map are content.
        path.append('.').append(isMap(step.getFrom()) ? "*" : step.getFieldName());
      }
    }
    return path.toString();
  }

  private static boolean isMap(@Nullable Object from) {
    return from instanceof Map
        || (from instanceof Class<?> type && Map.class.isAssignableFrom(type));
  }

  private static final class Redacted extends Exception {
    private static final long serialVersionUID = 1L;

    Redacted(Throwable original) {
      super(original.getClass().getName() + " (message withheld: it may quote the payload)");
      setStackTrace(original.getStackTrace());
    }
  }
}
