package dev.onceward.dedupe.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PairHashTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @Test
  void pairsThatConcatenateToTheSameTextHaveDifferentKeys() {
    assertThat(List.of(PairHash.of("ab", "c"), PairHash.of("a", "bc"), PairHash.of("", "abc")))
        .doesNotHaveDuplicates();
    assertThat(PairHash.of("a", "b")).isNotEqualTo(PairHash.of("b", "a"));
  }

  @ParameterizedTest
  @CsvSource({"//shop/orders,e1", "'',x", "ä€,😀", "a,''"})
  void theKeyIsWhatTheScriptSaysItIs(String source, String id) throws Exception {
    String documented =
        "SELECT encode(substr(sha256(int4send(octet_length(convert_to(source, 'UTF8')))"
            + " || convert_to(source, 'UTF8') || convert_to(id, 'UTF8')), 1, 16), 'hex')::uuid"
            + " FROM (SELECT ?::text AS source, ?::text AS id) event";
    try (Connection connection = DATABASE.plain().getConnection();
        PreparedStatement statement = connection.prepareStatement(documented)) {
      statement.setString(1, source);
      statement.setString(2, id);
      try (ResultSet result = statement.executeQuery()) {
        result.next();
        assertThat(PairHash.of(source, id)).hasToString(result.getString(1));
      }
    }
  }

  @Test
  void textThatUtf8CannotHoldIsRefusedRatherThanMixedUpWithOtherText() {
    assertThatThrownBy(() -> PairHash.of("a", "\udc00"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
