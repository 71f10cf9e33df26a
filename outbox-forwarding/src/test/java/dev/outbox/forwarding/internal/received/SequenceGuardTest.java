package dev.outbox.forwarding.internal.received;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.forwarding.internal.received.ReceivedStore.Position;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SequenceGuardTest {

    @ParameterizedTest
    @CsvSource({
        "-1, -1, 0, true, ACCEPT",
        "-1, -1, 7, true, ACCEPT",
        "0, 0, 1, true, ACCEPT",
        "0, 0, 2, true, HOLD",
        "0, 0, 2, false, ACCEPT",
        "4, 4, 4, true, LATE",
        "4, 4, 4, false, LATE",
        "4, 4, 0, false, LATE",
        "4, 4, 5, true, ACCEPT",
        "4, 4, 6, true, HOLD",
        "4, 5, 6, true, ACCEPT",
        "4, 9, 5, true, ACCEPT",
        "-1, 9, 5, false, ACCEPT"
    })
    void sequenceDecides(long last, long highest, long sequence, boolean holdsGaps, SequenceGuard decision) {
        assertThat(SequenceGuard.decide(new Position(last, highest), sequence, holdsGaps))
                .isEqualTo(decision);
    }
}
