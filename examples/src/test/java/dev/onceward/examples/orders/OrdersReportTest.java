package dev.onceward.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class OrdersReportTest {

  private static final OrdersReport REPORT =
      new OrdersReport(1_000, 1_900, 1_899, 90, 8, 2, 1, 0, 700, 1_500);
  private static final Speed BEFORE_KILL = new Speed(1_234, 9.5, 56);

  @Test
  void everyFigureHasALineWithoutTrailingBlanks() {
    String printed = printed(List.of());

    assertThat(printed.lines())
        .noneMatch(line -> line.endsWith(" "))
        .anyMatch(line -> line.matches("  lost +1  .*"))
        .anyMatch(line -> line.matches("  double-applied +0  .*"))
        .contains("Before the kill: 1,234 effects a second, p99 56 ms.")
        .last()
        .isEqualTo("The ledger is exactly what it must be.");
    assertThat(printed).contains("at 1,000 a second");
  }

  @Test
  void findingsAreToldTheFirstTenOfThem() {
    List<String> findings = java.util.stream.IntStream.range(0, 12).mapToObj(i -> "f" + i).toList();

    assertThat(printed(findings).lines())
        .contains("  ! f0", "  ! f9", "  ! and 2 more")
        .doesNotContain("  ! f10")
        .last()
        .isEqualTo("The ledger is NOT what it must be.");
  }

  private static String printed(List<String> findings) {
    StringWriter out = new StringWriter();
    REPORT.print(new PrintWriter(out), BEFORE_KILL, 1_000, findings);
    return out.toString();
  }
}
