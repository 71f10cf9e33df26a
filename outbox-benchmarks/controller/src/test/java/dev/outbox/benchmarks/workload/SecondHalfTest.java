package dev.outbox.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SecondHalfTest {

    @Test
    void beginsWithTheCallInTheMiddle() {
        long[] ends = {0, 5_000_000_000L, 10_000_000_000L, 9_000_000_000L, 8_000_000_000L};

        assertThat(SecondHalf.callsPerSecond(LongStream.of(ends))).isEqualTo(1);
    }

    @Test
    void isUnknownWhereThereAreTooFewCalls() {
        assertThat(SecondHalf.callsPerSecond(LongStream.empty())).isZero();
        assertThat(SecondHalf.callsPerSecond(LongStream.of(7))).isZero();
        assertThat(SecondHalf.callsPerSecond(LongStream.of(7, 7))).isZero();
    }
}
