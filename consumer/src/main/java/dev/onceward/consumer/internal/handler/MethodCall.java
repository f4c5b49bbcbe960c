package dev.onceward.consumer.internal.handler;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Calls a handler method. */
final class MethodCall implements Route.Call {

  private final MethodHandle handle;
  private final HandlerParameter[] parameters;
  private final boolean takesLists;
  private final String name;
  private final boolean asynchronous;

  private MethodCall(
      MethodHandle handle,
      HandlerParameter[] parameters,
      boolean takesLists,
      String name,
      boolean asynchronous) {
    this.handle = handle;
    this.parameters = parameters;
    this.takesLists = takesLists;
    this.name = name;
    this.asynchronous = asynchronous;
  }

  /** The call, or null after adding why the method cannot be called to {@code problems}. */
  static @Nullable MethodCall of(
      Object target,
      Method method,
      List<HandlerParameter> parameters,
      boolean takesLists,
      String name,
      List<String> problems) {
    try {
      method.setAccessible(true);
      MethodHandle bound =
          MethodHandles.lookup()
              .unreflect(method)
              .bindTo(target)
              .asSpreader(Object[].class, parameters.size())
              .asType(MethodType.methodType(Object.class, Object[].class));
      return new MethodCall(
          bound,
          parameters.toArray(HandlerParameter[]::new),
          takesLists,
          name,
          CompletionStage.class.isAssignableFrom(method.getReturnType()));
    } catch (InaccessibleObjectException | IllegalAccessException e) {
      problems.add(
          name
              + " cannot be called ("
              + e.getMessage()
              + "); open its package to dev.onceward.consumer or make class and method public");
      return null;
    }
  }

  @Override
  public void handle(List<Route.Input> inputs, @Nullable Connection tx) throws Exception {
    @Nullable Object[] arguments = new @Nullable Object[parameters.length];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = argument(parameters[i], inputs, tx);
    }
    Object result;
    try {
      result = (Object) handle.invokeExact(arguments);
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a handler threw a Throwable that is no Exception", e);
    }
    if (asynchronous) {
      if (result == null) {
        throw new IllegalStateException(
            name + " returned null; return the CompletionStage that tells when it is done");
      }
      Stages.await((CompletionStage<?>) result);
    }
  }

  private @Nullable Object argument(
      HandlerParameter parameter, List<Route.Input> inputs, @Nullable Connection tx) {
    if (!takesLists || parameter == HandlerParameter.CONNECTION) {
      return parameter.resolve(inputs.get(0), tx);
    }
    // not List.of: a payload may be null where the handler says so
    List<@Nullable Object> values = new ArrayList<>(inputs.size());
    for (Route.Input input : inputs) {
      values.add(parameter.resolve(input, tx));
    }
    return Collections.unmodifiableList(values);
  }
}
