package dev.outbox.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

class JsonTextTest {

    private static final char BACKSLASH = '\\';

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":1}",
                "[]",
                "\"plain\"",
                "\"\\\\u0000\"",
                "\"\\\"\\n\\t\\b\\f\\r\\/\"",
                "\"\\ud83d\\ude00\"",
                "\"\uD83D\uDE00\"",
                "{\"key\\\\\":\"\\u0001\"}",
                "1e300",
                "-0.5E-10",
                "[1,2.5,true,false,null]"
            })
    void textThatPostgresAcceptsPasses(String json) {
        assertThat(JsonText.refusedPart(json)).isNull();
        assertThat(acceptedByPostgres(json)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\\u0000\"",
                "{\"a\\u0000\":1}",
                "{\"a\":[\"x\\\\\\u0000\"]}",
                "\"\\ud83d\"",
                "\"\\ud83d\\n\"",
                "\"\\ude00\"",
                "\"\\ud83d\uDE00\"",
                "\"\\ud83d\\ud83d\\ude00\"",
                "1e400000",
                "[-1E+999999]"
            })
    void textThatPostgresRefusesIsFound(String json) {
        assertThat(JsonText.refusedPart(json)).isNotNull();
        assertThat(acceptedByPostgres(json)).isFalse();
    }

    @Test
    void loneSurrogatesThatAreNotEscapedAreFound() {
        assertThat(JsonText.refusedPart("\"\uD83D\"")).isEqualTo("a lone surrogate");
        assertThat(JsonText.refusedPart("\"\uDE00x\"")).isEqualTo("a lone surrogate");
        assertThat(JsonText.refusedPart("\"\uD83Dx\"")).isEqualTo("a lone surrogate");
    }

    @Test
    void numbersBeyondNumericAreFound() {
        assertThat(JsonText.refusedPart("1".repeat(200_000))).isNotNull();
        assertThat(acceptedByPostgres("1".repeat(200_000))).isFalse();
        assertThat(JsonText.refusedPart("\"" + "1".repeat(200_000) + "\"")).isNull();
    }

    @Test
    void refusedCharactersOfTextAreFound() {
        assertThat(JsonText.refusedCharacter("a\0b")).isEqualTo("the character U+0000");
        assertThat(JsonText.refusedCharacter("a\uD83D")).isEqualTo("a lone surrogate");
        assertThat(JsonText.refusedCharacter("\uDE00\uD83D")).isEqualTo("a lone surrogate");
        assertThat(JsonText.refusedCharacter("\uD83D\uDE00" + BACKSLASH + "u0000"))
                .isNull();
    }

    private static boolean acceptedByPostgres(String json) {
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            JdbcClient.create(database.dataSource())
                    .sql("SELECT ?::jsonb::text")
                    .params(List.of(json))
                    .query(String.class)
                    .single();
            return true;
        } catch (DataAccessException ex) {
            return false;
        }
    }
}
