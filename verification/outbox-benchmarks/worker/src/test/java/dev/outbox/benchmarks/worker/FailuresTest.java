package dev.outbox.benchmarks.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FailuresTest {

    @Test
    void shareOfTheCallsFailsOnce() {
        Failures failures = new Failures(5, 0);

        assertThat(failed(failures)).isBetween(4_500L, 5_500L);
        assertThat(failed(failures)).isZero();
    }

    @Test
    void poisonedAccountsFailAlways() {
        Failures failures = new Failures(0, 1);

        assertThat(failed(failures)).isEqualTo(1_000);
        assertThat(failed(failures)).isEqualTo(1_000);
    }

    private static long failed(Failures failures) {
        return IntStream.range(0, 100_000)
                .filter((number) -> fails(failures, number))
                .count();
    }

    private static boolean fails(Failures failures, int number) {
        try {
            failures.failIfDue(AccountChanged.of(number, number % 100, 1));
            return false;
        } catch (DeliberateFailure ex) {
            return true;
        }
    }
}
