package dev.outbox.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.claim.ClaimStore.Window;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WindowScheduleTest {

    private long now = Long.MAX_VALUE - 5;
    private final WindowSchedule schedule = new WindowSchedule(() -> now);

    @BeforeEach
    void startWithTheWholeQueue() {
        assertThat(claim(0)).isEqualTo(Window.WHOLE_QUEUE);
        pass(Duration.ofMillis(100));
    }

    @Test
    void advancesTenTimesASecond() {
        assertThat(claim(1)).isEqualTo(Window.ADVANCED);
        pass(Duration.ofMillis(99));
        assertThat(claim(1)).isEqualTo(Window.AS_IT_IS);
        pass(Duration.ofMillis(1));
        assertThat(claim(1)).isEqualTo(Window.ADVANCED);
    }

    @Test
    void advancesBehindManyEvents() {
        assertThat(claim(999)).isEqualTo(Window.ADVANCED);
        assertThat(claim(1)).isEqualTo(Window.AS_IT_IS);
        assertThat(claim(1)).isEqualTo(Window.ADVANCED);
    }

    @Test
    void startsWithTheWholeQueueOnceAMinute() {
        claim(1);
        pass(Duration.ofMinutes(1));
        assertThat(claim(1)).isEqualTo(Window.WHOLE_QUEUE);
        assertThat(claim(1)).isEqualTo(Window.AS_IT_IS);
    }

    /** Nothing is delivered meanwhile. */
    @Test
    void startsRarelyWithAQueueThatTakesLong() {
        schedule.claimed(Window.WHOLE_QUEUE, 0, Duration.ofSeconds(1));
        pass(Duration.ofSeconds(199));
        assertThat(claim(1)).isEqualTo(Window.ADVANCED);
        pass(Duration.ofSeconds(1));
        assertThat(claim(1)).isEqualTo(Window.WHOLE_QUEUE);
    }

    @Test
    void failedLookAtTheWholeQueueIsNotRepeatedAtOnce() {
        schedule.failed(Window.WHOLE_QUEUE, Duration.ofMinutes(2));
        pass(Duration.ofMinutes(9));
        assertThat(claim(1)).isEqualTo(Window.ADVANCED);
        pass(Duration.ofMinutes(1));
        assertThat(claim(1)).isEqualTo(Window.WHOLE_QUEUE);
    }

    private Window claim(int events) {
        Window window = schedule.next();
        schedule.claimed(window, events, Duration.ZERO);
        return window;
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
