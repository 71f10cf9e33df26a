package dev.outbox.internal.gauges;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.operations.OutboxInspector;
import org.junit.jupiter.api.Test;

class QueueStateTest {

    @Test
    void countsStopWhereTheInspectorSaysSo() {
        assertThat(QueueState.MOST_COUNTED).isEqualTo(OutboxInspector.MOST_COUNTED);
        assertThat(QueueState.MOST_COUNTED_OF_HANDLER).isEqualTo(OutboxInspector.MOST_COUNTED_OF_HANDLER);
    }
}
