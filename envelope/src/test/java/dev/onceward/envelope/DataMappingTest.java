package dev.onceward.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.OffsetDateTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataMappingTest {
  private static final EventReader READER =
      EventReader.builder().versionFrom("/version").occurredAtFrom("/meta/at").build();
  private static final String DATA =
      "{\"x\":[1],\"meta\":{\"at\":\"2026-01-01T00:00:00Z\"},\"version\":7}";

  private static Event read(String data) {
    return READER.read(
        Records.event().header("content-type", "application/json").value(data).build());
  }

  @Test
  void versionAndTimeOfTheFactAreFoundInTheData() {
    Event event = read(DATA);

    assertThat(event.entityVersion()).hasValue(7);
    assertThat(event.occurredAt()).contains(OffsetDateTime.parse("2026-01-01T00:00:00Z"));
    assertThat(read("{\"version\":\"12\"}").entityVersion()).hasValue(12);
  }

  @Test
  void theyAreFoundInStructuredModeToo() {
    Event event =
        READER.read(
            Records.structured(
                    "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\",\"data\":"
                        + DATA
                        + "}")
                .build());

    assertThat(event.entityVersion()).hasValue(7);
    assertThat(event.occurredAt()).isPresent();
  }

  @Test
  void theHeaderGoesFirst() {
    Event event =
        READER.read(
            Records.event()
                .header("ce_entityversion", "3")
                .header("ce_occurredat", "2025-01-01T00:00:00Z")
                .value("{\"version\":\"not consulted\",\"meta\":{\"at\":0}}")
                .build());

    assertThat(event.entityVersion()).hasValue(3);
    assertThat(event.occurredAt()).get().asString().startsWith("2025");
  }

  @Test
  void theyAreNotWrittenAsAttributesAndGoWithTheDataOfACopy() {
    Event event = read(DATA);

    assertThat(event.getExtensionNames()).isEmpty();
    assertThat(Records.text(EventWriter.binary().write("t", event), "ce_entityversion")).isNull();
    assertThat(event.toBuilder().build().entityVersion()).hasValue(7);
    assertThat(event.toBuilder().data(new byte[0], "a/b").build().entityVersion()).isEmpty();
    assertThat(event.toBuilder().entityVersion(8).build().entityVersion()).hasValue(8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"version\":null}", "[]", "3", "null", "{\"meta\":[]}"})
  void absentAndNullMeanThatThereIsNone(String data) {
    assertThat(read(data).entityVersion()).isEmpty();
    assertThat(read(data).occurredAt()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"version\":1.5}",
        "{\"version\":-1}",
        "{\"version\":\"secret\"}",
        "{\"version\":{}}",
        "{\"version\":99999999999999999999}"
      })
  void aVersionThatIsNoneIsAnError(String data) {
    assertThatThrownBy(() -> read(data))
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining("Record orders-3@42")
        .hasMessageContaining("/version is no integer")
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"meta\":{\"at\":1767225600}}", "{\"meta\":{\"at\":\"2026-01-01T00:00:00\"}}"})
  void aTimeThatIsNoneIsAnError(String data) {
    assertThatThrownBy(() -> read(data))
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining("/meta/at is no RFC 3339 timestamp");
  }

  @Test
  void dataThatIsNotJsonIsNotConsulted() {
    assertThat(
            READER
                .read(Records.event().header("content-type", "text/csv").value("a,b").build())
                .entityVersion())
        .isEmpty();
    assertThat(READER.read(Records.event().value("a,b").build()).entityVersion()).isEmpty();
    assertThat(READER.read(Records.event().build()).entityVersion()).isEmpty();
    assertThatThrownBy(() -> read("{\"version\" oops"))
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining("the data is not readable JSON at line 1");
  }

  @Test
  void whatIsNoJsonPointerIsRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventReader.builder().versionFrom("version"))
        .withMessageContaining("versionFrom is no JSON Pointer");
  }
}
