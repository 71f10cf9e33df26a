package dev.outbox.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class BackgroundCallTest {

    private final List<String> late = new CopyOnWriteArrayList<>();
    private final BackgroundCall<String> ahead = new BackgroundCall<>("ahead", late::add);

    @Test
    void whatDoesNotEndIsNotWaitedForAtShutdown() throws SQLException {
        CountDownLatch release = new CountDownLatch(1);
        ahead.begin(() -> {
            release.await();
            return "done";
        });
        assertThat(ahead.endsWithin(Duration.ofMillis(20))).isFalse();

        release.countDown();
        assertThat(ahead.endsWithin(Duration.ofMinutes(1))).isTrue();
        assertThat(ahead.result(() -> true)).contains("done");
        assertThat(late).isEmpty();
    }

    @Test
    void overdueCallIsAbandonedAndDelaysNoOther() throws SQLException {
        CountDownLatch release = new CountDownLatch(1);
        ahead.begin(() -> {
            // A statement ignores the interrupt.
            while (release.getCount() > 0) {
                LockSupport.parkNanos(1_000_000);
            }
            return "late";
        });
        assertThat(ahead.result(() -> true)).isEmpty();

        ahead.begin(() -> "next");
        assertThat(ahead.result(() -> true)).contains("next");
        assertThat(late).isEmpty();

        release.countDown();
        await().untilAsserted(() -> assertThat(late).containsExactly("late"));
    }

    @Test
    void whatFailedHasEnded() {
        ahead.begin(() -> {
            throw new SQLException("broken");
        });
        assertThat(ahead.endsWithin(Duration.ofMinutes(1))).isTrue();
        assertThatThrownBy(() -> ahead.result(() -> true))
                .isInstanceOf(SQLException.class)
                .hasMessage("broken");
    }
}
