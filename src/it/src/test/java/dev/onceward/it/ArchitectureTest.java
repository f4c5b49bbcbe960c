package dev.onceward.it;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The floors of the house, and what holds in every room. */
@AnalyzeClasses(packages = "dev.onceward", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  private static final int MAX_LINES = 400;

  @ArchTest
  static final ArchRule aRoomImportsOnlyFromLowerFloors =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("envelope")
          .definedBy("dev.onceward.envelope..")
          .layer("tracing")
          .definedBy("dev.onceward.tracing..")
          .layer("dedupe")
          .definedBy("dev.onceward.dedupe..")
          .layer("producer")
          .definedBy("dev.onceward.producer..")
          .layer("consumer")
          .definedBy("dev.onceward.consumer..")
          .layer("testkit")
          .definedBy("dev.onceward.testkit..")
          .layer("examples")
          .definedBy("dev.onceward.examples..")
          .whereLayer("envelope")
          .mayNotAccessAnyLayer()
          .whereLayer("tracing")
          .mayOnlyAccessLayers("envelope")
          .whereLayer("dedupe")
          .mayOnlyAccessLayers("envelope")
          .whereLayer("producer")
          .mayOnlyAccessLayers("envelope", "tracing", "dedupe")
          .whereLayer("consumer")
          .mayOnlyAccessLayers("envelope", "tracing", "dedupe", "producer")
          .whereLayer("testkit")
          .mayOnlyAccessLayers("envelope", "tracing", "dedupe", "producer", "consumer");

  @ArchTest
  static final ArchRule theEngineKnowsNoPipelineAndNoHandler =
      noClasses()
          .that()
          .resideInAPackage("dev.onceward.consumer.internal.engine..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.onceward.consumer.internal.pipeline..",
              "dev.onceward.consumer.internal.handler..",
              "dev.onceward.dedupe..");

  @ArchTest
  static final ArchRule theRoomsOfTheConsumerHaveNoCircles =
      slices().matching("dev.onceward.consumer.internal.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule internalsOfAModuleAreNotUsedByTheExamples =
      noClasses()
          .that()
          .resideInAPackage("dev.onceward.examples..")
          .should()
          .dependOnClassesThat(
              are(
                  resideInAPackage("dev.onceward..internal..")
                      .as("internal classes of other modules")));

  @ArchTest
  static final ArchRule noThreadIsExtended =
      noClasses().should().beAssignableTo(subclassOf(Thread.class));

  @ArchTest
  static final ArchRule noStaticStateChanges =
      fields()
          .that()
          .areStatic()
          .and()
          .areDeclaredInClassesThat()
          .resideInAPackage("dev.onceward..")
          .should()
          .beFinal();

  @ArchTest
  static final ArchRule theKafkaConsumerIsMadeInOnePlace =
      noClasses()
          .that()
          .resideInAPackage("dev.onceward.consumer..")
          .and()
          .doNotHaveSimpleName("GroupEventConsumer")
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("org.apache.kafka.clients.consumer.KafkaConsumer");

  private static DescribedPredicate<JavaClass> subclassOf(Class<?> type) {
    return DescribedPredicate.describe(
        "subclasses of " + type.getName(),
        c -> c.isAssignableTo(type) && !c.getName().equals(type.getName()));
  }

  @ArchTest
  static void thereIsSomethingToCheck(JavaClasses all) {
    assertThat(all.size()).isGreaterThan(100);
  }

  @Test
  void noSourceFileIsLongerThanFourHundredLines() throws IOException {
    Path root = Path.of("../..").toRealPath();
    try (Stream<Path> files = Files.walk(root)) {
      List<String> tooLong =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.toString().contains("/target/"))
              .filter(file -> lines(file) > MAX_LINES)
              .map(file -> root.relativize(file) + ": " + lines(file) + " lines")
              .toList();
      assertThat(tooLong).isEmpty();
    }
  }

  private static long lines(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.count();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
