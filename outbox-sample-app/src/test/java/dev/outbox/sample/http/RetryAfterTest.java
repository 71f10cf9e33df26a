package dev.outbox.sample.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;

class RetryAfterTest {

    private static final Instant NOW = Instant.parse("2030-01-01T12:00:00Z");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            120                           | PT2M
            Tue, 01 Jan 2030 12:00:30 GMT | PT30S
            604800                        | PT24H
            Sun, 01 Jan 2040 12:00:00 GMT | PT24H
            """)
    void isSecondsOrADateOfAtMostADay(String value, Duration delay) {
        assertThat(RetryAfter.of(headers(value), NOW)).contains(delay);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "-1", "0", "1.5", "99999999999999999999", "Tue, 01 Jan 2030 11:00:00 GMT"})
    void whatCannotBeReadIsIgnored(String value) {
        assertThat(RetryAfter.of(headers(value), NOW)).isEmpty();
    }

    @Test
    void dateIsComparedWithTheClockOfTheAnswer() {
        HttpHeaders headers = headers("Tue, 01 Jan 2030 11:00:30 GMT");
        headers.set(HttpHeaders.DATE, "Tue, 01 Jan 2030 11:00:00 GMT");

        assertThat(RetryAfter.of(headers, NOW)).contains(Duration.ofSeconds(30));
    }

    @Test
    void mayBeAbsent() {
        assertThat(RetryAfter.of(new HttpHeaders(), NOW)).isEmpty();
    }

    private static HttpHeaders headers(String value) {
        HttpHeaders headers = new HttpHeaders();
        headers.set(HttpHeaders.RETRY_AFTER, value);
        return headers;
    }
}
