package dev.outbox.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WholeQueueScheduleTest {

    private long now = Long.MAX_VALUE - 5;
    private final WholeQueueSchedule schedule = new WholeQueueSchedule(() -> now);

    @Test
    void isDueOnceAMinute() {
        assertThat(schedule.isDue()).isFalse();
        now += Duration.ofMinutes(1).toNanos();
        assertThat(schedule.isDue()).isTrue();
        schedule.looked(Duration.ZERO);
        assertThat(schedule.isDue()).isFalse();
    }

    /** Nothing is delivered meanwhile. */
    @Test
    void isDueRarelyWhereLooksTakeLong() {
        schedule.looked(Duration.ofSeconds(1));
        now += Duration.ofSeconds(199).toNanos();
        assertThat(schedule.isDue()).isFalse();
        now += Duration.ofSeconds(1).toNanos();
        assertThat(schedule.isDue()).isTrue();
    }
}
