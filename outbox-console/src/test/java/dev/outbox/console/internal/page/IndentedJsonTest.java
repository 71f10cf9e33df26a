package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class IndentedJsonTest {

    @Test
    void everyValueHasLine() {
        assertThat(IndentedJson.of("{\"a\": 1.00, \"b\": [true, {}], \"c\": []}"))
                .isEqualTo("""
                {
                  "a": 1.00,
                  "b": [
                    true,
                    {}
                  ],
                  "c": []
                }""");
    }

    @Test
    void textsStayAsTheyAre() {
        String json = "{\"text\": \"a, {b}: [c] \\\" \\\\\", \"d\":\"e  f\"}";

        assertThat(IndentedJson.of(json)).contains("\"a, {b}: [c] \\\" \\\\\"", "\"e  f\"");
        assertThat(JsonMapper.shared().readTree(IndentedJson.of(json)))
                .isEqualTo(JsonMapper.shared().readTree(json));
    }

    @Test
    void longPayloadIsCut() {
        assertThat(IndentedJson.of("\"" + "x".repeat(200_000) + "\""))
                .hasSizeLessThan(100_100)
                .endsWith(" … (200002 characters)");
    }

    @Test
    void deepPayloadIsCut() {
        String deep = "[".repeat(499) + "1,".repeat(49_000) + "1" + "]".repeat(499);

        assertThat(IndentedJson.of(deep)).hasSizeLessThan(300_200).endsWith(" … (" + deep.length() + " characters)");
        assertThat(IndentedJson.of("[".repeat(100) + "]".repeat(100)))
                .contains("\n" + " ".repeat(64) + "[\n")
                .doesNotContain(" ".repeat(65));
    }

    @Test
    void brokenJsonIsShownToo() {
        assertThat(IndentedJson.of("}]{\"")).contains("}");
    }
}
