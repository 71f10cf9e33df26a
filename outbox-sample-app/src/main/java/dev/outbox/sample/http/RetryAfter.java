package dev.outbox.sample.http;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import org.springframework.http.HttpHeaders;

/** The header {@code Retry-After}: seconds, or a date. */
public final class RetryAfter {

    /** Another system cannot hold a delivery back for longer. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private RetryAfter() {}

    /**
     * Reads the header.
     *
     * @param headers the headers of an answer
     * @param now when the answer arrived
     * @return the delay, at most a day; empty if the header is absent or neither seconds nor a date
     */
    public static Optional<Duration> of(HttpHeaders headers, Instant now) {
        return Optional.ofNullable(headers.getFirst(HttpHeaders.RETRY_AFTER))
                .map(String::strip)
                .flatMap((value) -> parse(value, now))
                .map(RetryAfter::limit);
    }

    private static Optional<Duration> parse(String value, Instant now) {
        try {
            return Optional.of(
                    value.matches("\\d{1,9}")
                            ? Duration.ofSeconds(Long.parseLong(value))
                            : Duration.between(
                                    now,
                                    ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME)
                                            .toInstant()));
        } catch (DateTimeException ex) {
            return Optional.empty();
        }
    }

    private static Duration limit(Duration delay) {
        if (delay.isNegative()) {
            return Duration.ZERO;
        }
        return delay.compareTo(LONGEST) > 0 ? LONGEST : delay;
    }
}
