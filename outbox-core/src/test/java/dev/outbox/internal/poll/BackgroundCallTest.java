package dev.outbox.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class BackgroundCallTest {

    private final BackgroundCall<String> ahead = new BackgroundCall<>("ahead");

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
        assertThat(ahead.result()).isEqualTo("done");
    }

    @Test
    void whatFailedHasEnded() {
        ahead.begin(() -> {
            throw new SQLException("broken");
        });
        assertThat(ahead.endsWithin(Duration.ofMinutes(1))).isTrue();
        assertThatThrownBy(ahead::result).isInstanceOf(SQLException.class).hasMessage("broken");
    }
}
