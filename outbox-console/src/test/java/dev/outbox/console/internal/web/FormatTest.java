package dev.outbox.console.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FormatTest {

    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    private final Format format = new Format(Clock.fixed(NOW, ZoneOffset.UTC));

    @ParameterizedTest
    @CsvSource({
        "2026-01-31T11:57:55Z, 2 min 5 s ago",
        "2026-01-31T11:59:59Z, 1 s ago",
        "2026-01-31T11:59:59.001Z, now",
        "2026-01-31T12:00:00.999Z, now",
        "2026-01-31T12:00:01Z, in 1 s"
    })
    void timeWithinASecondIsNow(Instant time, String text) {
        assertThat(format.relative(time)).isEqualTo(text);
    }
}
