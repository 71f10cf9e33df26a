package dev.outbox.console.internal.web;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Figures and times as text, for templates. */
public final class Format {

    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(30);

    /** Less is no difference: the times are those of another clock, the database's. */
    private static final Duration A_SECOND = Duration.ofSeconds(1);

    private final Clock clock;

    Format(Clock clock) {
        this.clock = clock;
    }

    /** Number with separators. */
    public String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** Size in the largest unit that is not below one. */
    public String bytes(long bytes) {
        int unit = (63 - Long.numberOfLeadingZeros(bytes | 1)) / 10;
        return unit == 0
                ? bytes + " B"
                : String.format(
                        Locale.ROOT, "%.1f %siB", (double) bytes / (1L << (10 * unit)), "KMGTPE".charAt(unit - 1));
    }

    /** Rate with one digit after the point, unless it is large. */
    public static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 100 ? "%.1f" : "%,.0f", perSecond);
    }

    /** Duration with its two largest units. */
    public static String duration(@Nullable Duration duration) {
        if (duration == null || duration.isZero() || duration.isNegative()) {
            return "–";
        }
        return text(duration);
    }

    /** Duration of a call, with one digit after the point below 10 s. */
    public static String runTime(Duration duration) {
        double seconds = duration.toNanos() / 1e9;
        if (seconds >= 10) {
            return text(duration);
        }
        return seconds >= 1
                ? String.format(Locale.ROOT, "%.1f s", seconds)
                : seconds >= 0.001 ? Math.round(seconds * 1000) + " ms" : "< 1 ms";
    }

    /** Time in ISO format, to the millisecond. */
    public String iso(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    /** Time in UTC, to the second, without the day if it is today. */
    public String clock(Instant time) {
        String text = time.truncatedTo(ChronoUnit.SECONDS).toString();
        boolean today = text.startsWith(clock.instant().toString().substring(0, 11));
        return today ? text.substring(11) : text.replace('T', ' ');
    }

    /** Present in UTC, to the second. */
    public String clock() {
        return clock(clock.instant());
    }

    /** Time relative to the present. */
    public String relative(Instant time) {
        Duration age = Duration.between(time, clock.instant());
        if (age.abs().compareTo(A_SECOND) < 0) {
            return "now";
        }
        return age.isNegative() ? "in " + text(age.negated()) : text(age) + " ago";
    }

    /** Time as milliseconds since 1970, for the clock of the page. */
    public long millis(Instant time) {
        return time.toEpochMilli();
    }

    /** Present as milliseconds since 1970. */
    public long now() {
        return clock.millis();
    }

    /** Whether an instance has given no sign of life for so long that it has probably crashed. */
    public static boolean isSilent(Instant lastSeenAt, Instant now) {
        return Duration.between(lastSeenAt, now).compareTo(LONGEST_SILENCE) > 0;
    }

    /** Whether a time is over. */
    public boolean past(Instant time) {
        return time.isBefore(clock.instant());
    }

    /** Duration with its two largest units, also if it is short. */
    public static String text(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3600) {
            return pair(seconds / 60, "min", seconds % 60, "s");
        }
        return seconds < 86_400
                ? pair(seconds / 3600, "h", seconds / 60 % 60, "min")
                : pair(seconds / 86_400, "d", seconds / 3600 % 24, "h");
    }

    private static String pair(long large, String unit, long small, String smallUnit) {
        return large + " " + unit + (small == 0 ? "" : " " + small + " " + smallUnit);
    }
}
