package dev.outbox.sample.webhook;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** Value of the HTTP header {@code Retry-After}: seconds, or a date. */
final class RetryAfter {

    static final Duration LONGEST = Duration.ofDays(1);

    private RetryAfter() {}

    /** Returns the delay, at most {@link #LONGEST}; empty if the value is neither. */
    static Optional<Duration> parse(String value, Instant now) {
        return value.matches("\\d{1,18}") ? Optional.of(limited(seconds(value))) : untilDate(value, now);
    }

    private static Duration seconds(String value) {
        return Duration.ofSeconds(Long.parseLong(value));
    }

    private static Optional<Duration> untilDate(String value, Instant now) {
        try {
            Instant date = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            return Optional.of(limited(Duration.between(now, date)));
        } catch (DateTimeException ex) {
            return Optional.empty();
        }
    }

    private static Duration limited(Duration delay) {
        if (delay.isNegative()) {
            return Duration.ZERO;
        }
        return delay.compareTo(LONGEST) > 0 ? LONGEST : delay;
    }
}
