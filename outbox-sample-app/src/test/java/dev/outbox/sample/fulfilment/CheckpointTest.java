package dev.outbox.sample.fulfilment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.support.TransactionTemplate;

@SampleTest
class CheckpointTest {

    private final String order = "ORD-" + UUID.randomUUID();

    @Autowired
    private Checkpoint checkpoint;

    @Autowired
    private MeterRegistry meters;

    @Autowired
    private TransactionTemplate transaction;

    @Test
    void nextEventIsAdmittedAndNoEventTwice() {
        double duplicates = duplicates();

        assertThat(admit(1)).isTrue();
        assertThat(admit(2)).isTrue();
        assertThat(duplicates()).isEqualTo(duplicates);
        assertThat(admit(2)).isFalse();
        assertThat(admit(1)).isFalse();
        assertThat(duplicates()).isEqualTo(duplicates + 2);
        assertThat(admit(3)).isTrue();
    }

    @Test
    void holdsEventBackUntilGapIsClosed() {
        assertThatThrownBy(() -> admit(2)).isInstanceOf(OutOfOrderException.class);
        admit(1);

        assertThatThrownBy(() -> admit(3)).isInstanceOf(OutOfOrderException.class);
        assertThatThrownBy(() -> admit(3)).isInstanceOf(OutOfOrderException.class);

        assertThat(admit(2)).isTrue();
        assertThat(admit(3)).isTrue();
    }

    @Test
    void eventWhoseProcessingRollsBackIsAdmittedAgain() {
        transaction.executeWithoutResult((status) -> {
            assertThat(checkpoint.admit(event(1))).isTrue();
            status.setRollbackOnly();
        });

        assertThat(admit(1)).isTrue();
    }

    @Test
    void processesOneEventPerAggregateAtATime() throws InterruptedException, ExecutionException {
        List<Long> processed = Collections.synchronizedList(new ArrayList<>());
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                all.add(threads.submit(() -> processAll(20, processed)));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(processed).hasSize(20).isSorted();
    }

    /** Offers every event until it is through, in an order that is as wrong as can be. */
    private void processAll(int events, List<Long> processed) {
        List<Long> open = new ArrayList<>();
        for (long seq = events; seq > 0; seq--) {
            open.add(seq);
        }
        while (!open.isEmpty()) {
            open.removeIf((seq) -> {
                try {
                    transaction.executeWithoutResult((status) -> {
                        if (checkpoint.admit(event(seq))) {
                            processed.add(seq);
                        }
                    });
                    return true;
                } catch (OutOfOrderException ex) {
                    return false;
                }
            });
        }
    }

    private double duplicates() {
        return meters.get("sample.duplicates")
                .tag("handler", "fulfilment.order")
                .counter()
                .count();
    }

    private boolean admit(long seq) {
        return Boolean.TRUE.equals(transaction.execute((status) -> checkpoint.admit(event(seq))));
    }

    private EventEnvelope event(long seq) {
        return Envelopes.of("order", order, seq, "OrderItemChanged", "{}", Map.of());
    }
}
