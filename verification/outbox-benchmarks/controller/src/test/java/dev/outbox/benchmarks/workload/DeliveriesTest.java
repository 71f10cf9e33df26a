package dev.outbox.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.benchmarks.worker.Journal.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeliveriesTest {

    private static final List<Entry> TWO_COMMITTED = List.of(committed(0, 7, 1), committed(1, 7, 2));

    @Test
    void everythingInOrder() {
        assertThat(Deliveries.of(TWO_COMMITTED, List.of(call(0, 7, 1, 10, 11), call(1, 7, 2, 11, 12))))
                .isEqualTo(new Deliveries(0, 0, 0, 10));
    }

    @Test
    void callThatOverlapsWithAnEarlierEventOfItsAccountIsOutOfOrder() {
        List<Entry> calls = List.of(call(0, 7, 1, 10, 13), call(1, 7, 2, 12, 14));

        assertThat(Deliveries.of(TWO_COMMITTED, calls).outOfOrder()).isEqualTo(1);
    }

    @Test
    void accountsHaveNoOrderAmongThem() {
        List<Entry> committed = List.of(committed(0, 7, 1), committed(1, 8, 1));
        List<Entry> calls = List.of(call(0, 7, 1, 10, 13), call(1, 8, 1, 9, 14));

        assertThat(Deliveries.of(committed, calls)).isEqualTo(new Deliveries(0, 0, 0, 9));
    }

    @Test
    void repeatedCallIsADuplicateAndDoesNotCountForTheOrder() {
        List<Entry> calls = List.of(call(0, 7, 1, 10, 11), call(1, 7, 2, 11, 12), call(0, 7, 1, 20, 21));

        assertThat(Deliveries.of(TWO_COMMITTED, calls)).isEqualTo(new Deliveries(0, 1, 0, 10));
    }

    @Test
    void callThatDidNotComeIsMissing() {
        assertThat(Deliveries.of(TWO_COMMITTED, List.of(call(0, 7, 1, 10, 11))).missing())
                .isEqualTo(1);
    }

    private static Entry committed(int number, int key, long seq) {
        return new Entry(number, key, seq, 1, 2);
    }

    private static Entry call(int number, int key, long seq, long begun, long ended) {
        return new Entry(number, key, seq, begun, ended);
    }
}
