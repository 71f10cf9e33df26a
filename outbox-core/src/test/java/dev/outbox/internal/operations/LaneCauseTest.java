package dev.outbox.internal.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.operations.LaneCause.Facts;
import dev.outbox.internal.operations.LaneCause.HandlerFacts;
import dev.outbox.internal.operations.LaneCause.Head;
import dev.outbox.internal.operations.LaneCause.Lease;
import dev.outbox.operations.LaneReport.Cause;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaneCauseTest {

    @ParameterizedTest
    @CsvSource({
        "STREAM_PAUSED, true, true, true, true, true, LIVE, DUE",
        "HANDLER_PAUSED, true, false, true, true, true, LIVE, DUE",
        "RUNNING, true, false, false, true, true, LIVE, DUE",
        "RUNNING, true, false, false, false, false, LIVE, NONE",
        "LEASE_EXPIRED, true, false, false, true, true, EXPIRED, DUE",
        "BLOCKED_BY_DEAD_LETTER, true, false, false, true, true, NONE, DEAD",
        "HANDLER_ABSENT, true, false, false, true, true, NONE, BACKING_OFF",
        "CIRCUIT_OPEN, true, false, false, false, true, NONE, BACKING_OFF",
        "BACKING_OFF, true, false, false, false, false, NONE, BACKING_OFF",
        "DUE, true, false, false, false, false, NONE, DUE",
        "PENDING, true, false, false, false, false, NONE, NONE",
        "DEAD_LETTERS_ONLY, false, true, true, true, true, NONE, NONE",
    })
    void firstCauseThatAppliesIsReported(
            Cause cause,
            boolean waits,
            boolean streamPaused,
            boolean handlerPaused,
            boolean absent,
            boolean circuitOpen,
            Lease lease,
            Head head) {
        assertThat(LaneCause.of(new Facts(
                        waits, streamPaused, new HandlerFacts(handlerPaused, absent, circuitOpen), lease, head)))
                .isEqualTo(cause);
    }

    /** Adding a fact to a waiting lane never leads to a later cause. */
    @Test
    void orderOfCausesIsThatOfTheirConstants() {
        List<Facts> all = new ArrayList<>();
        for (int bits = 0; bits < 16; bits++) {
            HandlerFacts handler = new HandlerFacts((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0);
            for (Lease lease : Lease.values()) {
                for (Head head : Head.values()) {
                    all.add(new Facts(true, (bits & 8) != 0, handler, lease, head));
                }
            }
        }

        assertThat(all).allSatisfy((facts) -> {
            Cause without = LaneCause.of(new Facts(true, false, HandlerFacts.READY, Lease.NONE, facts.head()));
            assertThat(LaneCause.of(facts)).isLessThanOrEqualTo(without);
        });
        assertThat(all.stream().map(LaneCause::of).distinct())
                .hasSize(Cause.values().length - 1)
                .doesNotContain(Cause.DEAD_LETTERS_ONLY);
    }
}
