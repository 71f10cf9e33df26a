package dev.outbox.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.benchmarks.worker.Journal.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeliveriesTest {

    private static final List<Entry> TWO_COMMITTED = List.of(committed(0, 7, 1), committed(1, 7, 2));

    @Test
    void everythingInOrder() {
        assertThat(Deliveries.of(TWO_COMMITTED, List.of(call(0, 0, 7, 1, 10, 11), call(0, 1, 7, 2, 11, 12)), 1))
                .isEqualTo(new Deliveries(0, 0, 0, 10));
    }

    @Test
    void callThatOverlapsWithAnEarlierEventOfItsAccountIsOutOfOrder() {
        List<Entry> calls = List.of(call(0, 0, 7, 1, 10, 13), call(0, 1, 7, 2, 12, 14));

        assertThat(Deliveries.of(TWO_COMMITTED, calls, 1).outOfOrder()).isEqualTo(1);
    }

    @Test
    void accountsAndHandlersHaveNoOrderAmongThem() {
        List<Entry> committed = List.of(committed(0, 7, 1), committed(1, 8, 1));
        List<Entry> calls = List.of(
                call(0, 0, 7, 1, 10, 13), call(0, 1, 8, 1, 9, 14), call(1, 0, 7, 1, 2, 3), call(1, 1, 8, 1, 1, 2));

        assertThat(Deliveries.of(committed, calls, 2)).isEqualTo(new Deliveries(0, 0, 0, 1));
    }

    @Test
    void repeatedCallIsADuplicateAndDoesNotCountForTheOrder() {
        List<Entry> calls = List.of(call(0, 0, 7, 1, 10, 11), call(0, 1, 7, 2, 11, 12), call(0, 0, 7, 1, 20, 21));

        assertThat(Deliveries.of(TWO_COMMITTED, calls, 1)).isEqualTo(new Deliveries(0, 1, 0, 10));
    }

    @Test
    void callThatDidNotComeIsMissing() {
        assertThat(Deliveries.of(TWO_COMMITTED, List.of(call(0, 0, 7, 1, 10, 11)), 2)
                        .missing())
                .isEqualTo(3);
    }

    private static Entry committed(int number, int key, long seq) {
        return new Entry(0, number, key, seq, 1, 2);
    }

    private static Entry call(int handler, int number, int key, long seq, long begun, long ended) {
        return new Entry(handler, number, key, seq, begun, ended);
    }
}
