package dev.onceward.testkit.internal;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Keeps a broker from ending this JVM. Upon a fatal fault Kafka calls its class {@code Exit}, which
 * halts or exits the JVM unless told otherwise; told by this guard, it throws on the thread that
 * met the fault. The class is not public API and moved in Kafka 4.4, so it is reached by name.
 */
public final class ExitGuard {
  private static final List<String> CLASS_NAMES =
      List.of("org.apache.kafka.common.utils.internals.Exit", "org.apache.kafka.common.utils.Exit");

  private ExitGuard() {}

  /**
   * From now on, tells {@code report} instead of ending the JVM. Kafka has one such hook per JVM:
   * with several brokers the last one's guard hears of all faults.
   *
   * @return whether this version of Kafka could be told
   */
  public static boolean install(Consumer<String> report) {
    for (String name : CLASS_NAMES) {
      try {
        Class<?> exit = Class.forName(name);
        Class<?> procedure = Class.forName(name + "$Procedure");
        Object refusal =
            Proxy.newProxyInstance(
                procedure.getClassLoader(),
                new Class<?>[] {procedure},
                (proxy, method, arguments) -> answer(proxy, method, arguments, report));
        set(exit, procedure, "setExitProcedure", refusal);
        set(exit, procedure, "setHaltProcedure", refusal);
        return true;
      } catch (ClassNotFoundException e) {
        LoggerFactory.getLogger(ExitGuard.class).debug("no class {}", name, e);
      } catch (ReflectiveOperationException e) {
        LoggerFactory.getLogger(ExitGuard.class).warn("{} is not as expected", name, e);
      }
    }
    return false;
  }

  private static void set(Class<?> exit, Class<?> procedure, String method, Object refusal)
      throws ReflectiveOperationException {
    Method setter = exit.getMethod(method, procedure);
    setter.invoke(null, refusal);
  }

  private static Object answer(
      Object proxy, Method method, Object @Nullable [] arguments, Consumer<String> report) {
    if (method.getName().equals("execute") && arguments != null) {
      String fault = "the broker wanted to end the JVM with status " + arguments[0];
      report.accept(fault);
      throw new IllegalStateException(fault);
    }
    return switch (method.getName()) {
      case "hashCode" -> System.identityHashCode(proxy);
      case "equals" -> arguments != null && proxy == arguments[0];
      default -> "ExitGuard";
    };
  }
}
