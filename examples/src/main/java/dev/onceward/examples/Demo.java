package dev.onceward.examples;

import dev.onceward.consumer.ConsumerStartException;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.examples.orders.OrdersCommand;
import dev.onceward.examples.webhooks.WebhooksCommand;
import dev.onceward.testkit.TestkitException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code ./demo} command. Its exit codes: 0 all is well, 1 it failed, 2 the input is wrong. */
@Command(
    name = "./demo",
    description = "Runs an example: orders (the default) or webhooks.",
    synopsisSubcommandLabel = "[orders | webhooks] [OPTIONS]",
    footer = {
      "",
      "Each example has options of its own; see",
      "  ./demo orders --help",
      "  ./demo webhooks --help",
      "Options without the name of an example are those of orders: ./demo --json FILE"
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {OrdersCommand.class, WebhooksCommand.class})
public final class Demo {

  private Demo() {}

  public static void main(String[] args) throws IOException {
    Logs logs = Logs.toNewFile();
    // also on Ctrl-C
    Runtime.getRuntime().addShutdownHook(new Thread(logs::discardUnlessTold, "discard-log"));
    System.exit(commandLine(logs).execute(withDefault(args)));
  }

  /**
   * The command line. A failure is one line on its error stream.
   *
   * @param log the file that this JVM logs to, to be named in failures that the line does not
   *     explain
   */
  public static CommandLine commandLine(Path log) {
    return commandLine(Logs.in(log));
  }

  private static CommandLine commandLine(Logs logs) {
    CommandLine commands = new CommandLine(new Demo());
    commands.setExecutionStrategy(parsed -> run(parsed, logs));
    commands.setExecutionExceptionHandler((error, command, parsed) -> failed(error, command, logs));
    commands.setParameterExceptionHandler((error, arguments) -> wrongUsage(error));
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

  private static int run(ParseResult parsed, Logs logs) {
    int exit = new RunLast().execute(parsed);
    if (exit == CommandLine.ExitCode.SOFTWARE) {
      PrintWriter err = parsed.commandSpec().commandLine().getErr();
      logs.tell().ifPresent(file -> err.println("demo: the log is " + file));
      err.flush();
    }
    return exit;
  }

  private static int wrongUsage(ParameterException error) {
    CommandLine command = error.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("demo: " + error.getMessage());
    UnmatchedArgumentException.printSuggestions(error, err);
    err.println("See " + command.getCommandSpec().qualifiedName() + " --help");
    err.flush();
    return CommandLine.ExitCode.USAGE;
  }

  /** One line at the console, everything in the log. */
  private static int failed(Exception error, CommandLine command, Logs logs) {
    LoggerFactory.getLogger(Demo.class).error("the demo failed", error);
    if (isShuttingDown()) {
      // the user has ended it, and with it the servers, which then seem to fail
      return CommandLine.ExitCode.SOFTWARE;
    }
    Throwable cause = unwrapped(error);
    String more =
        explains(cause) ? "" : logs.tell().map(file -> " (the log is " + file + ")").orElse("");
    command.getErr().println("demo: " + line(cause) + more);
    command.getErr().flush();
    return CommandLine.ExitCode.SOFTWARE;
  }

  /** There is no question to ask, but from then on the JVM takes no more hooks. */
  private static boolean isShuttingDown() {
    Thread hook = new Thread(() -> {}, "never-run");
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      Runtime.getRuntime().removeShutdownHook(hook);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  private static Throwable unwrapped(Throwable error) {
    boolean wrapper = error instanceof CompletionException || error instanceof ExecutionException;
    return wrapper && error.getCause() != null ? unwrapped(error.getCause()) : error;
  }

  private static boolean explains(Throwable error) {
    return error instanceof DemoFailure failure
        ? !failure.seeLog()
        : error instanceof ConsumerStartException || error instanceof InboxUnavailableException;
  }

  private static String line(Throwable error) {
    String message = error.getMessage() == null ? error.toString() : error.getMessage().strip();
    // after the first line of a server that did not start comes the end of its log
    return error instanceof TestkitException
        ? message.lines().findFirst().orElse("")
        : message.replaceAll("\\s*\\R\\s*", " ");
  }
}
