package dev.outbox.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PercentilesTest {

    @Test
    void percentileIsTheSmallestValueThatTheShareDoesNotExceed() {
        Percentiles hundred =
                new Percentiles(LongStream.rangeClosed(1, 100).map((number) -> (101 - number) * 1_000_000));

        assertThat(hundred.millis(0.5)).isEqualTo(50);
        assertThat(hundred.millis(0.99)).isEqualTo(99);
        assertThat(hundred.millis(1)).isEqualTo(100);
        assertThat(hundred.millis(0.001)).isEqualTo(1);
    }

    @Test
    void nothingHasNoPercentiles() {
        assertThat(new Percentiles(LongStream.empty()).millis(0.5)).isNaN();
    }
}
