package dev.outbox.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.lease.Lease;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AwaitedBatchTest {

    private final Awaited batch = new Awaited();
    private final AtomicInteger wakes = new AtomicInteger();

    @BeforeEach
    void begin() {
        batch.begin(wakes::incrementAndGet);
        batch.awaitOutcomes(4);
    }

    @Test
    void wakesTheLoopForOutcomesThatComeTogether() {
        batch.add("first");
        batch.add("second");
        batch.arrived();
        batch.arrived();

        assertThat(wakes).hasValue(1);
    }

    @Test
    void wakesTheLoopAgainAfterASettlement() {
        batch.add("first");
        batch.arrived();
        batch.removeSettled(batch.unsettled(), (outcome) -> false);
        batch.add("second");
        batch.arrived();

        assertThat(wakes).hasValue(2);
    }

    private static final class Awaited extends Batch<String, String> {

        Awaited() {
            super(List.of());
        }

        void awaitOutcomes(int number) {
            for (int i = 0; i < number; i++) {
                await();
            }
        }

        @Override
        public Lease lease() {
            throw new UnsupportedOperationException();
        }
    }
}
