package dev.outbox.spring.autoconfigure;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronExpression;

/** Run times of a cron expression in a time zone. */
final class RetentionSchedule {

    private static final String PROPERTY = "outbox.retention.cron";

    private RetentionSchedule() {}

    /** Returns the schedule, or {@code null} for "-". */
    static @Nullable UnaryOperator<Instant> of(String expression, ZoneId zone, Clock clock) {
        if (expression.strip().equals(Scheduled.CRON_DISABLED)) {
            return null;
        }
        CronExpression cron = PropertyRule.check(PROPERTY, expression, CronExpression::parse);
        if (cron.next(clock.instant().atZone(zone)) == null) {
            throw new InvalidConfigurationPropertyValueException(
                    PROPERTY, expression, "the expression matches no future time");
        }
        return (after) -> {
            ZonedDateTime next = cron.next(after.atZone(zone));
            return next != null ? next.toInstant() : Instant.MAX;
        };
    }
}
