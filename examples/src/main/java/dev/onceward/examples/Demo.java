package dev.onceward.examples;

import dev.onceward.consumer.ConsumerStartException;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.examples.orders.OrdersCommand;
import dev.onceward.examples.webhooks.WebhooksCommand;
import dev.onceward.testkit.TestkitException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code ./demo} command. Its exit codes: 0 all is well, 1 it failed, 2 the input is wrong. */
@Command(
    name = "demo",
    description = "Runs an example: orders (the default) or webhooks.",
    mixinStandardHelpOptions = true,
    version = "Onceward examples 0.1.0",
    subcommands = {OrdersCommand.class, WebhooksCommand.class})
public final class Demo {

  private Demo() {}

  public static void main(String[] args) throws IOException {
    Path log = Logs.toFile();
    int exit = commandLine(log).execute(withDefault(args));
    if (exit == 0) {
      Files.deleteIfExists(log);
    }
    System.exit(exit);
  }

  /**
   * The command line. A failure is one line on its error stream.
   *
   * @param log the file that this JVM logs to, to be named in failures that the line does not
   *     explain
   */
  public static CommandLine commandLine(Path log) {
    CommandLine commands = new CommandLine(new Demo());
    commands.setExecutionExceptionHandler((error, command, parsed) -> failed(error, command, log));
    return commands;
  }

  /** Without the name of an example it is orders. */
  static String[] withDefault(String[] args) {
    if (args.length > 0 && !args[0].startsWith("-")) {
      return args;
    }
    if (args.length == 1 && args[0].matches("-h|--help|-V|--version")) {
      return args;
    }
    String[] all = new String[args.length + 1];
    all[0] = "orders";
    System.arraycopy(args, 0, all, 1, args.length);
    return all;
  }

  /** One line at the console, everything in the log. */
  private static int failed(Exception error, CommandLine command, Path log) {
    LoggerFactory.getLogger(Demo.class).error("the demo failed", error);
    Throwable cause = unwrapped(error);
    String line = line(cause);
    command
        .getErr()
        .println("demo: " + (explains(cause) ? line : line + " (the log is " + log + ")"));
    command.getErr().flush();
    return CommandLine.ExitCode.SOFTWARE;
  }

  private static Throwable unwrapped(Throwable error) {
    boolean wrapper = error instanceof CompletionException || error instanceof ExecutionException;
    return wrapper && error.getCause() != null ? unwrapped(error.getCause()) : error;
  }

  private static boolean explains(Throwable error) {
    return error instanceof DemoFailure
        || error instanceof ConsumerStartException
        || error instanceof InboxUnavailableException
        || error instanceof TestkitException;
  }

  private static String line(Throwable error) {
    String message = error.getMessage() == null ? error.toString() : error.getMessage().strip();
    // after the first line of a server that did not start comes the end of its log
    return error instanceof TestkitException
        ? message.lines().findFirst().orElse("")
        : message.replaceAll("\\s*\\R\\s*", " ");
  }
}
