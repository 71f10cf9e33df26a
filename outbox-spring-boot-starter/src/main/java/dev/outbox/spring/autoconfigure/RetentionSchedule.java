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
final class RetentionSchedule implements UnaryOperator<Instant> {

    private static final String PROPERTY = "outbox.retention.cron";

    private final CronExpression cron;
    private final ZoneId zone;

    private RetentionSchedule(CronExpression cron, ZoneId zone) {
        this.cron = cron;
        this.zone = zone;
    }

    /** Returns the schedule, or {@code null} for "-". */
    static @Nullable RetentionSchedule of(String expression, ZoneId zone, Clock clock) {
        if (expression.strip().equals(Scheduled.CRON_DISABLED)) {
            return null;
        }
        CronExpression cron = PropertyRule.check(PROPERTY, expression, CronExpression::parse);
        if (cron.next(clock.instant().atZone(zone)) == null) {
            throw new InvalidConfigurationPropertyValueException(
                    PROPERTY, expression, "the expression matches no future time");
        }
        return new RetentionSchedule(cron, zone);
    }

    @Override
    public Instant apply(Instant after) {
        ZonedDateTime next = cron.next(after.atZone(zone));
        return next != null ? next.toInstant() : Instant.MAX;
    }
}
