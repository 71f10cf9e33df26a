package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.core.StreamReadConstraints;

class JsonTextTest {

    private static final int MAX_SIZE = 1024 * 1024;
    private static final char BACKSLASH = '\\';
    private static final TestDatabase DATABASE = TestPostgres.shared().newDatabase();

    @AfterAll
    static void close() {
        DATABASE.close();
    }

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
        assertThat(refusedPart(json)).isNull();
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
                "[-1E+999999]",
                "",
                "[1",
                "\"open",
                "{\"a\" 1}",
                "{a:1}",
                "[1,]",
                "01",
                "1.",
                "-",
                "NaN",
                "-Infinity",
                "tru",
                "\"\\x\"",
                "\"\\u12G4\"",
                "\"\t\"",
                "[1] 2"
            })
    void textThatPostgresRefusesIsFound(String json) {
        assertThat(refusedPart(json)).isNotNull();
        assertThat(acceptedByPostgres(json)).isFalse();
    }

    @Test
    void loneSurrogatesThatAreNotEscapedAreFound() {
        assertThat(refusedPart("\"\uD83D\"")).isEqualTo("a lone surrogate");
        assertThat(refusedPart("\"\uDE00x\"")).isEqualTo("a lone surrogate");
        assertThat(refusedPart("\"\uD83Dx\"")).isEqualTo("a lone surrogate");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1E1000", "1e-1000", "-1E+5000", "0.0e99999999999"})
    void findsNumbersThatAHandlerCannotReadBack(String json) {
        assertThat(refusedPart(json)).isEqualTo("a number of more than 1000 digits or with a huge exponent");
    }

    @Test
    void countsExponentsAsTheDigitsThatAreRead() {
        String bomb = "{\"numbers\":[" + "1E+999,".repeat(139_999) + "1E+999]}";

        assertThat(bomb.length()).isLessThan(MAX_SIZE);
        assertThat(refusedPart(bomb))
                .isEqualTo(
                        "more than 1048576 bytes (outbox.publisher.max-payload-size) once the exponents of its numbers are"
                                + " written out, at /numbers/1049");
        assertThat(refusedPart("[" + "1E-9,".repeat(100_000) + "1E+999]")).isNull();
    }

    @Test
    void findsWhatIsNestedTooDeepToRead() {
        assertThat(refusedPart("[".repeat(500) + "]".repeat(500))).isNull();
        assertThat(refusedPart("[".repeat(501) + "]".repeat(501))).isEqualTo("more than 500 nested arrays and objects");
        assertThat(refusedPart("[".repeat(100_000))).isEqualTo("more than 500 nested arrays and objects");
    }

    @Test
    void findsNamesThatAreTooLongToRead() {
        assertThat(refusedPart("{\"" + "n".repeat(50_000) + "\":1}")).isNull();
        assertThat(refusedPart("{\"" + "n".repeat(50_001) + "\":1}")).isEqualTo("a name of more than 50000 characters");
    }

    @Test
    void numbersBeyondNumericAreFound() {
        assertThat(refusedPart("1".repeat(200_000))).isNotNull();
        assertThat(acceptedByPostgres("1".repeat(200_000))).isFalse();
        assertThat(refusedPart("\"" + "1".repeat(200_000) + "\"")).isNull();
    }

    @Test
    void refusedCharactersOfTextAreFound() {
        assertThat(StorableText.refusedCharacter("a\0b")).isEqualTo("the character U+0000");
        assertThat(StorableText.refusedCharacter("a\uD83D")).isEqualTo("a lone surrogate");
        assertThat(StorableText.refusedCharacter("\uDE00\uD83D")).isEqualTo("a lone surrogate");
        assertThat(StorableText.refusedCharacter("\uD83D\uDE00" + BACKSLASH + "u0000"))
                .isNull();
    }

    private static String refusedPart(String json) {
        return JsonText.refusedPart(json, JsonText.Limits.of(StreamReadConstraints.defaults(), MAX_SIZE));
    }

    private static boolean acceptedByPostgres(String json) {
        try {
            JdbcClient.create(DATABASE.dataSource())
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
