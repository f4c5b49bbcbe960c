package dev.onceward.examples;

import dev.onceward.consumer.ConsumerStartException;
import dev.onceward.examples.orders.OrdersCommand;
import dev.onceward.examples.webhooks.WebhooksCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParseResult;

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

  static CommandLine commandLine(Path log) {
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
    org.slf4j.LoggerFactory.getLogger(Demo.class).error("the demo failed", error);
    PrintWriter out = command.getErr();
    out.println("demo: " + oneLine(error));
    if (!(error instanceof DemoFailure) && !(error instanceof ConsumerStartException)) {
      out.println("demo: the log is " + log);
    }
    return CommandLine.ExitCode.SOFTWARE;
  }

  private static String oneLine(Exception error) {
    String message = error.getMessage() == null ? error.toString() : error.getMessage();
    return message.strip().replaceAll("\\s*\\R\\s*", " ");
  }

  static boolean isHelp(ParseResult parsed) {
    return parsed.isUsageHelpRequested() || parsed.isVersionHelpRequested();
  }
}
