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

    /** Returns the delay, at most a day; empty if the header is absent, unreadable or not in the future, so that the retry policy applies. */
    public static Optional<Duration> of(HttpHeaders headers, Instant now) {
        return Optional.ofNullable(headers.getFirst(HttpHeaders.RETRY_AFTER))
                .map(String::strip)
                .flatMap((value) -> parse(value, sentAt(headers).orElse(now)))
                .filter((delay) -> delay.compareTo(Duration.ZERO) > 0)
                .map((delay) -> delay.compareTo(LONGEST) > 0 ? LONGEST : delay);
    }

    /** Returns the time on the other system's clock, which may differ from ours. */
    private static Optional<Instant> sentAt(HttpHeaders headers) {
        return Optional.ofNullable(headers.getFirst(HttpHeaders.DATE)).flatMap(RetryAfter::date);
    }

    private static Optional<Duration> parse(String value, Instant now) {
        return value.matches("\\d{1,9}")
                ? Optional.of(Duration.ofSeconds(Long.parseLong(value)))
                : date(value).map((date) -> Duration.between(now, date));
    }

    private static Optional<Instant> date(String value) {
        try {
            return Optional.of(ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant());
        } catch (DateTimeException ex) {
            return Optional.empty();
        }
    }
}
