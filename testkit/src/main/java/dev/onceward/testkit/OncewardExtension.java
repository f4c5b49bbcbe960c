package dev.onceward.testkit;

import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Injects servers and names into constructors, test and lifecycle methods, by parameter type. A
 * server is started when the first test asks for it, shared by the whole run, and closed at its
 * end.
 *
 * <table>
 *   <caption>Parameters</caption>
 *   <tr><th>type</th><th>what</th><th>shared by</th></tr>
 *   <tr><td>{@link KafkaServer}</td><td>a broker, see {@link KafkaMode}</td><td>the run</td></tr>
 *   <tr><td>{@link PostgresServer}</td><td>a database server</td><td>the run</td></tr>
 *   <tr><td>{@link TestDatabase}</td><td>an empty database, dropped afterwards</td>
 *       <td>the test class and its nested classes</td></tr>
 *   <tr><td>{@link TestTopics}</td><td>unique topic and group names</td><td>one test method, or one
 *       class for constructors of per-class instances, before-all and after-all methods</td></tr>
 * </table>
 *
 * <p>A test that kills or stops a server should start its own.
 */
public final class OncewardExtension implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(OncewardExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == KafkaServer.class
        || type == PostgresServer.class
        || type == TestDatabase.class
        || type == TestTopics.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    if (type == KafkaServer.class) {
      return kafka(context);
    }
    if (type == PostgresServer.class) {
      return postgres(context);
    }
    if (type == TestDatabase.class) {
      return database(context);
    }
    return in(context, TestTopics.class, () -> TestTopics.on(kafka(context)));
  }

  private static KafkaServer kafka(ExtensionContext context) {
    return in(context.getRoot(), KafkaServer.class, KafkaServer::start);
  }

  private static PostgresServer postgres(ExtensionContext context) {
    return in(context.getRoot(), PostgresServer.class, PostgresServer::start);
  }

  private static TestDatabase database(ExtensionContext context) {
    PostgresServer server = postgres(context);
    return in(
        outermostClass(context),
        TestDatabase.class,
        () -> server.createDatabase("test_" + UUID.randomUUID().toString().replace('-', '_')));
  }

  private static ExtensionContext outermostClass(ExtensionContext context) {
    ExtensionContext outermost = context;
    for (ExtensionContext c = context;
        c.getTestClass().isPresent();
        c = c.getParent().orElseGet(context::getRoot)) {
      outermost = c;
    }
    return outermost;
  }

  /** One object per context and type; JUnit closes it with the context. */
  private static <T> T in(ExtensionContext context, Class<T> type, Supplier<T> create) {
    return type.cast(
        context.getStore(NAMESPACE).getOrComputeIfAbsent(type, t -> create.get(), type));
  }
}
