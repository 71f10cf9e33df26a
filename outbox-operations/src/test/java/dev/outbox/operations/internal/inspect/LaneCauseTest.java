package dev.outbox.operations.internal.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.operations.LaneReport.Cause;
import java.util.EnumSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaneCauseTest {

    @ParameterizedTest
    @CsvSource({
        "STREAM_PAUSED, RUNNING, STREAM_PAUSED HANDLER_PAUSED HANDLER_ABSENT CIRCUIT_OPEN",
        "HANDLER_PAUSED, RUNNING, HANDLER_PAUSED HANDLER_ABSENT CIRCUIT_OPEN",
        "RUNNING, RUNNING, HANDLER_ABSENT CIRCUIT_OPEN",
        "LEASE_EXPIRED, LEASE_EXPIRED, HANDLER_ABSENT CIRCUIT_OPEN",
        "BLOCKED_BY_DEAD_LETTER, BLOCKED_BY_DEAD_LETTER, HANDLER_ABSENT CIRCUIT_OPEN",
        "HANDLER_ABSENT, BACKING_OFF, HANDLER_ABSENT CIRCUIT_OPEN",
        "CIRCUIT_OPEN, BACKING_OFF, CIRCUIT_OPEN",
        "CIRCUIT_OPEN, DUE, CIRCUIT_OPEN",
        "CIRCUIT_OPEN, PENDING, CIRCUIT_OPEN",
        "BACKING_OFF, BACKING_OFF, ''",
        "DUE, DUE, ''",
        "PENDING, PENDING, ''",
        "DEAD_LETTERS_ONLY, DEAD_LETTERS_ONLY, STREAM_PAUSED HANDLER_PAUSED HANDLER_ABSENT CIRCUIT_OPEN",
    })
    void firstCauseThatAppliesIsReported(Cause reported, Cause own, String hindrances) {
        EnumSet<Cause> found = EnumSet.noneOf(Cause.class);
        for (String name : hindrances.split(" ")) {
            if (!name.isEmpty()) {
                found.add(Cause.valueOf(name));
            }
        }
        assertThat(LaneStore.cause(own, found)).isEqualTo(reported);
    }
}
