package dev.onceward.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cloudevents.CloudEventData;
import io.cloudevents.SpecVersion;
import java.net.URI;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EventBuilderTest {

  private static Event.Builder minimal() {
    return Event.builder().source("/orders").type("com.acme.orders.placed.v1");
  }

  @Test
  void anEventGetsAVersion7UuidAndTheTimeWhenItSetsNone() {
    OffsetDateTime before = OffsetDateTime.now(ZoneOffset.UTC);
    Event event = minimal().build();

    assertThat(UUID.fromString(event.getId()).version()).isEqualTo(7);
    assertThat(event.getTime()).isBetween(before.minusSeconds(1), before.plusMinutes(1));
    assertThat(event.getTime()).matches(t -> t.getOffset().equals(ZoneOffset.UTC));
    assertThat(event.getSpecVersion()).isEqualTo(SpecVersion.V1);
  }

  @Test
  void eachEventOfOneBuilderGetsItsOwnIdAndLaterIdsSortLater() {
    Event.Builder builder = minimal();
    Set<String> ids = new HashSet<>();
    String last = "";
    for (int i = 0; i < 1_000; i++) {
      String id = builder.build().getId();
      assertThat(id).isGreaterThan(last);
      ids.add(id);
      last = id;
    }
    assertThat(ids).hasSize(1_000);
  }

  @Test
  void theSubjectIsTheEntityKeyUnlessThereIsAnother() {
    assertThat(minimal().build().entityKey()).isEmpty();
    assertThat(minimal().subject("o-1").build().entityKey()).contains("o-1");
    assertThat(minimal().subject("o-1").entityKey("c-7").build().entityKey()).contains("c-7");
  }

  @Test
  void allAttributesAreThereOnceBuilt() {
    OffsetDateTime time = OffsetDateTime.parse("2026-03-01T10:15:30.123456789+02:00");
    Event event =
        minimal()
            .id("e-1")
            .subject("o-1")
            .time(time)
            .entityVersion(7)
            .occurredAt(time.minusDays(1))
            .expiryTime(time.plusDays(1))
            .correlationId("c")
            .causationId("b")
            .originTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
            .dataSchema(URI.create("https://acme.com/schema.json"))
            .extension("tenant", "t1")
            .extension("replayed", true)
            .extension("shard", 12)
            .data("{}".getBytes(UTF_8), "application/json")
            .header("trace-me", "yes")
            .build();

    assertThat(event.getId()).isEqualTo("e-1");
    assertThat(event.getSource()).isEqualTo(URI.create("/orders"));
    assertThat(event.getSubject()).isEqualTo("o-1");
    assertThat(event.getTime()).isEqualTo(time);
    assertThat(event.entityVersion()).hasValue(7);
    assertThat(event.occurredAt()).contains(time.minusDays(1));
    assertThat(event.expiryTime()).contains(time.plusDays(1));
    assertThat(event.correlationId()).contains("c");
    assertThat(event.causationId()).contains("b");
    assertThat(event.originTraceparent()).get().asString().startsWith("00-0af");
    assertThat(event.getDataSchema()).isEqualTo(URI.create("https://acme.com/schema.json"));
    assertThat(event.getExtension("tenant")).isEqualTo("t1");
    assertThat(event.getExtension("replayed")).isEqualTo(true);
    assertThat(event.getExtension("shard")).isEqualTo(12);
    assertThat(event.getExtension("id")).isNull();
    assertThat(event.getAttribute("id")).isEqualTo("e-1");
    assertThat(event.getAttribute("time")).isEqualTo(time);
    assertThat(event.getExtensionNames())
        .containsExactlyInAnyOrder(
            "tenant",
            "replayed",
            "shard",
            "partitionkey",
            "entityversion",
            "occurredat",
            "expirytime",
            "correlationid",
            "causationid",
            "traceparent");
    assertThat(event.payload()).asString(UTF_8).isEqualTo("{}");
    assertThat(event.getData()).extracting(CloudEventData::toBytes).isSameAs(event.payload());
    assertThat(event.getDataContentType()).isEqualTo("application/json");
    assertThat(Records.lines(event.foreignHeaders())).hasSize(1);
  }

  @Test
  void anEventCausedByAnotherContinuesItsConversation() {
    Event first = minimal().id("1").build();
    Event second = minimal().id("2").causedBy(first).build();
    Event third = minimal().id("3").causedBy(second).build();

    assertThat(second.causationId()).contains("1");
    assertThat(second.correlationId()).contains("1");
    assertThat(third.causationId()).contains("2");
    assertThat(third.correlationId()).contains("1");
  }

  @Test
  void oneExceptionNamesEverythingThatIsMissingOrInvalid() {
    Event.Builder builder =
        Event.builder()
            .id(" ")
            .entityVersion(-1)
            .subject("half \uD800 pair")
            .time(OffsetDateTime.now(ZoneOffset.UTC).withYear(12_000))
            .expiryTime(OffsetDateTime.MAX)
            .dataSchema(URI.create("relative.json"))
            .extension("My-Ext", "x")
            .extension("id", "x")
            .extension("list", new Object())
            .extension("occurredat", "yesterday")
            .data(new byte[0], "application/cloudevents+json")
            .header("ce_id", "x")
            .header("content-type", "x");

    assertThatIllegalArgumentException()
        .isThrownBy(builder::build)
        .withMessageContainingAll(
            "source is missing",
            "type is missing",
            "id is blank",
            "entityVersion is negative",
            "subject has half of a surrogate pair",
            "time has a year beyond",
            "expirytime has a year beyond",
            "dataSchema is no absolute URI",
            "'My-Ext' is not of lower-case",
            "id is no extension",
            "list is of no CloudEvents type: java.lang.Object",
            "occurredat is no RFC 3339",
            "application/cloudevents+json would make",
            "header ce_id is the event's own",
            "header content-type is the event's own");
  }

  @Test
  void settingAnInvalidAttributeAgainHealsIt() {
    Event event =
        minimal()
            .source("not a uri")
            .source("/good")
            .entityVersion(-1)
            .entityVersion(1)
            .subject("\u0007")
            .subject(null)
            .header("ce_x", "y")
            .withoutHeader("ce_x")
            .build();

    assertThat(event.getSource()).hasToString("/good");
    assertThat(event.entityVersion()).hasValue(1);
    assertThat(event.getSubject()).isNull();
  }

  @Test
  void anIllegalSourceIsRefusedWhenBuiltThoughToleratedWhenRead() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> minimal().source("not a uri").build())
        .withMessageContaining("source is no URI reference");
  }

  @Test
  void bytesGivenToTheBuilderCanBeReusedByTheCaller() {
    byte[] data = {1, 2};
    byte[] header = {3};
    Event event = minimal().data(data, "application/x").header("h", header).build();
    data[0] = 9;
    header[0] = 9;

    assertThat(event.payload()).containsExactly(1, 2);
    assertThat(event.foreignHeaders().get(0).value()).containsExactly(3);
  }

  @Test
  void aCopyHasEverythingAndChangesOnlyWhatItIsTold() {
    Event event =
        minimal()
            .subject("o-1")
            .extension("tenant", "t")
            .data(new byte[] {1}, "application/x")
            .header("h", "v")
            .build();
    assertThat(event.toBuilder().build()).isEqualTo(event).isNotSameAs(event);

    Event moved = event.toBuilder().subject("o-2").extension("tenant", null).noData().build();
    assertThat(moved.getId()).isEqualTo(event.getId());
    assertThat(moved.getTime()).isEqualTo(event.getTime());
    assertThat(moved.entityKey()).contains("o-1");
    assertThat(moved.getExtension("tenant")).isNull();
    assertThat(moved.payload()).isNull();
    assertThat(moved.getDataContentType()).isNull();
    assertThat(Records.lines(moved.foreignHeaders()))
        .isEqualTo(Records.lines(event.foreignHeaders()));
  }

  @Test
  void eventsAreEqualByAttributesAndDataHoweverTheyCameAbout() {
    Event built =
        minimal().id("1").subject("s").entityVersion(3).data(new byte[] {1}, "a/b").build();
    Event read =
        EventReader.standard().read(Records.consumed(EventWriter.binary().write("t", built)));
    Event structured =
        EventReader.standard().read(Records.consumed(EventWriter.structured().write("t", built)));

    assertThat(read).isEqualTo(built).hasSameHashCodeAs(built);
    assertThat(built).isEqualTo(read).isEqualTo(structured);
    assertThat(structured).hasSameHashCodeAs(built);
    assertThat(built.toBuilder().header("x", "y").build()).isEqualTo(built);
    assertThat(built.toBuilder().entityVersion(4).build()).isNotEqualTo(built);
    assertThat(built.toBuilder().data(new byte[] {2}, "a/b").build()).isNotEqualTo(built);
  }

  @Test
  void theTextOfAnEventShowsNeitherPayloadNorKeyNorSubject() {
    Event event =
        minimal()
            .id("1")
            .subject("secret-subject")
            .entityKey("secret-key")
            .data("secret-data".getBytes(UTF_8), "text/plain")
            .build();

    assertThat(event.toString())
        .contains("com.acme.orders.placed.v1", "/orders", "11 bytes")
        .doesNotContain("secret");
  }

  @Test
  void anUnknownAttributeNameIsAnErrorByTheContractOfCloudEvents() {
    assertThatIllegalArgumentException().isThrownBy(() -> minimal().build().getAttribute("tenant"));
  }

  @Test
  void timesAreWrittenInRfc3339AlsoWhenSecondsAreZeroOrTheOffsetIsOdd() {
    Event zero = minimal().time(OffsetDateTime.parse("2026-03-01T10:15Z")).build();
    assertThat(Records.text(EventWriter.binary().write("t", zero), "ce_time"))
        .isEqualTo("2026-03-01T10:15:00Z");

    OffsetDateTime odd =
        OffsetDateTime.parse("2026-03-01T10:15:30+00:00")
            .withOffsetSameInstant(ZoneOffset.ofTotalSeconds(61));
    Event event = minimal().time(odd).build();
    assertThat(event.getTime()).isAtSameInstantAs(odd);
    assertThat(Duration.between(event.getTime(), odd)).isZero();
  }

  @Test
  void anEventOfAnotherMakingIsCopiedThroughItsAccessors() {
    Event original =
        minimal()
            .id("1")
            .subject("s")
            .entityVersion(2)
            .extension("x", "y")
            .header("h", "v")
            .build();
    Event other = new DelegatingEvent(original);

    assertThat(other.toBuilder().build()).isEqualTo(original);
    assertThat(Records.lines(EventWriter.binary().write("t", other).headers()))
        .containsExactlyInAnyOrderElementsOf(
            Records.lines(EventWriter.binary().write("t", original).headers()));
  }

  @Test
  void extensionsTakeTheTypesOfCloudEvents() {
    Event event =
        minimal()
            .extension("small", 5L)
            .extension("large", 5_000_000_000L)
            .extension("short", (short) 3)
            .extension("uri", URI.create("urn:x"))
            .extension("at", OffsetDateTime.parse("2026-01-01T00:00:00Z"))
            .extension("bytes", new byte[] {0, 1})
            .extension("entityversion", 9)
            .extension("partitionkey", "p")
            .build();

    assertThat(event.getExtension("small")).isEqualTo(5);
    assertThat(event.getExtension("large")).isEqualTo("5000000000");
    assertThat(event.getExtension("short")).isEqualTo(3);
    assertThat(event.getExtension("uri")).isEqualTo("urn:x");
    assertThat(event.getExtension("at")).isEqualTo("2026-01-01T00:00:00Z");
    assertThat(event.getExtension("bytes")).isEqualTo("AAE=");
    assertThat(event.entityVersion()).hasValue(9);
    assertThat(event.entityKey()).contains("p");
  }

  @Test
  void textThatCloudEventsForbidsIsRefused() {
    for (String text : new String[] {"\u0000", "\n", "\u0085", "\uFFFE", "\uFDD0", "\uDC00"}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> minimal().extension("x", text).build())
          .withMessageContaining("x has");
    }
  }

  @Test
  void theLastTimeOfRfc3339CanBeUsedForNever() {
    OffsetDateTime never = OffsetDateTime.parse("9999-12-31T23:59:59Z");
    Event event = Event.builder().source("/s").type("t").expiryTime(never).build();
    assertThat(event.expiryTime()).contains(never);
    assertThatIllegalArgumentException()
        .as("in UTC, which RFC 3339 needs for an offset with seconds, it is in the year 10000")
        .isThrownBy(
            () ->
                Event.builder()
                    .source("/s")
                    .type("t")
                    .expiryTime(
                        never.withOffsetSameLocal(ZoneOffset.ofHoursMinutesSeconds(0, 0, -1)))
                    .build())
        .withMessageContaining("expirytime has a year beyond");
  }
}
