package dev.outbox.sample.http;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Optional;
import org.springframework.http.HttpHeaders;

/** The header {@code Retry-After}: seconds, or a date. */
public final class RetryAfter {

    /** Another system cannot hold a delivery back for longer. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private RetryAfter() {}

    /** Returns the delay, at most a day; empty if the header is absent, unreadable or not in the future, so that the retry policy applies. */
    public static Optional<Duration> of(HttpHeaders headers, Instant now) {
        String value = String.valueOf(headers.getFirst(HttpHeaders.RETRY_AFTER)).strip();
        Optional<Duration> delay = value.matches("\\d{1,9}")
                ? Optional.of(Duration.ofSeconds(Long.parseLong(value)))
                : date(headers, HttpHeaders.RETRY_AFTER).map((date) -> Duration.between(sentAt(headers, now), date));
        return delay.filter((known) -> known.compareTo(Duration.ZERO) > 0)
                .map((known) -> known.compareTo(LONGEST) > 0 ? LONGEST : known);
    }

    /** Returns the time on the other system's clock, which may differ from ours. */
    private static Instant sentAt(HttpHeaders headers, Instant now) {
        return date(headers, HttpHeaders.DATE).orElse(now);
    }

    private static Optional<Instant> date(HttpHeaders headers, String name) {
        try {
            return Optional.ofNullable(headers.getFirstZonedDateTime(name)).map(ZonedDateTime::toInstant);
        } catch (IllegalArgumentException ex) {
            return Optional.empty();
        }
    }
}
