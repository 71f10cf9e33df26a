package dev.outbox.sample.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {

    private static final Instant NOW = Instant.parse("2026-04-13T00:15:00Z");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    0                             | PT0S
                    120                           | PT2M
                    999999999999999999            | PT24H
                    Mon, 13 Apr 2026 00:15:30 GMT | PT30S
                    Mon, 13 Apr 2026 00:14:30 GMT | PT0S
                    Mon, 13 Apr 2099 00:15:30 GMT | PT24H
                    """)
    void readsSecondsAndDates(String value, Duration delay) {
        assertThat(RetryAfter.parse(value, NOW)).contains(delay);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "-1", "1.5", "99999999999999999999", "2026-04-13T00:15:30Z"})
    void ignoresOtherValues(String value) {
        assertThat(RetryAfter.parse(value, NOW)).isEmpty();
    }
}
