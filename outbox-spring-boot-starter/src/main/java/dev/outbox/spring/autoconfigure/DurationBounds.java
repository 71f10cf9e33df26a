package dev.outbox.spring.autoconfigure;

import dev.outbox.spring.autoconfigure.OutboxProperties.Handler;
import dev.outbox.spring.autoconfigure.OutboxProperties.Poller;
import dev.outbox.spring.autoconfigure.OutboxProperties.Retention;
import dev.outbox.spring.autoconfigure.OutboxProperties.Retry;
import dev.outbox.spring.autoconfigure.OutboxProperties.Stream;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.format.annotation.DurationFormat.Style;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Bounds of every duration. Spring Boot reads a number without a unit as milliseconds, and its author meant seconds or days. */
enum DurationBounds {
    INTERVAL(Duration.ofMillis(100), Duration.ofHours(1)),
    LEASE(Duration.ofSeconds(1), Duration.ofHours(1)),
    SHUTDOWN(Duration.ofSeconds(1), Duration.ofHours(1)),
    TIMEOUT(Duration.ofSeconds(1), Duration.ofDays(1)),
    DELAY(Duration.ofMillis(100), Duration.ofDays(365)),
    PROBE(Duration.ofMillis(100), Duration.ofDays(1)),
    RETENTION(Duration.ofHours(1), Duration.ofDays(36_500));

    private final Duration shortest;
    private final Duration longest;

    DurationBounds(Duration shortest, Duration longest) {
        this.shortest = shortest;
        this.longest = longest;
    }

    /** Checks all durations. Rules about zero and negative values stay with the settings. */
    static void check(OutboxProperties properties, Binder binder) {
        Poller poller = properties.poller();
        INTERVAL.check(binder, "outbox.poller.interval", poller.interval());
        LEASE.check(binder, "outbox.poller.lease", poller.lease());
        SHUTDOWN.check(binder, "outbox.poller.shutdown-timeout", poller.shutdownTimeout());
        TIMEOUT.check(binder, "outbox.handler-timeout", properties.handlerTimeout());
        check(binder, "outbox.retry", properties.retry());
        properties.streams().forEach((name, stream) -> check(binder, PropertyRule.key("outbox.streams", name), stream));
        properties.handlers().forEach((id, handler) -> check(binder, PropertyRule.key("outbox.handlers", id), handler));
        Retention retention = properties.retention();
        RETENTION.check(binder, "outbox.retention.published", retention.published());
        RETENTION.check(binder, "outbox.retention.received", retention.received());
        RETENTION.check(binder, "outbox.retention.dead", retention.dead());
        RETENTION.check(binder, "outbox.retention.operations", retention.operations());
        RETENTION.check(binder, "outbox.retention.replays", retention.replays());
        RETENTION.check(binder, "outbox.retention.archived", retention.archived());
    }

    private static void check(Binder binder, String prefix, Stream stream) {
        INTERVAL.check(binder, prefix + ".interval", stream.interval());
        LEASE.check(binder, prefix + ".lease", stream.lease());
        check(binder, prefix + ".retry", stream.retry());
    }

    private static void check(Binder binder, String prefix, Handler handler) {
        TIMEOUT.check(binder, prefix + ".timeout", handler.timeout());
        PROBE.check(
                binder, prefix + ".circuit.probe-interval", handler.circuit().probeInterval());
        check(binder, prefix + ".retry", handler.retry());
    }

    private static void check(Binder binder, String prefix, Retry retry) {
        Duration initial = retry.initialDelay();
        Duration max = retry.maxDelay();
        DELAY.check(binder, prefix + ".initial-delay", initial);
        DELAY.check(binder, prefix + ".max-delay", max);
        if (initial != null && max != null && initial.compareTo(max) > 0) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + ".initial-delay", initial, text(initial) + " is longer than max-delay, " + text(max));
        }
        List<Duration> delays = retry.delays();
        if (delays != null) {
            delays.forEach((delay) -> DELAY.check(binder, prefix + ".delays", delay));
        }
    }

    private void check(Binder binder, String property, @Nullable Duration value) {
        if (value == null) {
            return;
        }
        String problem = problem(value);
        if (problem != null) {
            throw new InvalidConfigurationPropertyValueException(
                    property, value, problem + suggestion(binder, property, value));
        }
    }

    /** Returns what is wrong with a positive value, or null. */
    @Nullable
    String problem(Duration value) {
        if (value.isZero() || value.isNegative()) {
            return null;
        }
        if (value.compareTo(shortest) < 0) {
            return text(value) + " is shorter than " + text(shortest);
        }
        return value.compareTo(longest) > 0 ? text(value) + " is longer than " + text(longest) : null;
    }

    private String suggestion(Binder binder, String property, Duration value) {
        List<String> written =
                binder.bind(property, Bindable.listOf(String.class)).orElse(List.of());
        if (value.compareTo(shortest) >= 0 || !written.contains(String.valueOf(value.toMillis()))) {
            return "";
        }
        List<ChronoUnit> units =
                this == RETENTION ? List.of(ChronoUnit.DAYS, ChronoUnit.SECONDS) : List.of(ChronoUnit.SECONDS);
        for (ChronoUnit unit : units) {
            Duration meant = unit.getDuration().multipliedBy(value.toMillis());
            if (meant.compareTo(shortest) >= 0 && meant.compareTo(longest) <= 0) {
                return "; did you mean " + value.toMillis() + (unit == ChronoUnit.DAYS ? "d?" : "s?");
            }
        }
        return "";
    }

    private static String text(Duration duration) {
        return DurationFormatterUtils.print(duration, Style.COMPOSITE);
    }
}
