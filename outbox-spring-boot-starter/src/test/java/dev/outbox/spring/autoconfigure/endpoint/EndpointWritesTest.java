package dev.outbox.spring.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.spring.internal.RequestFilters;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EndpointWritesTest {

    private final OutboxOperations operations = mock(OutboxOperations.class);
    private final EndpointWrites writes = new EndpointWrites(operations, mock(Replays.class));

    @Test
    void expiresHandler() {
        when(operations.expireHandler("old", "ann", "removed")).thenReturn(true);

        assertThat(perform(Map.of("handler", "old"), "removed")).isEqualTo(Map.of("changed", true));
    }

    @Test
    void expiryNeedsHandlerAndReasonAndTakesNothingElse() {
        assertThatThrownBy(() -> perform(Map.of(), "removed"))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("'handler' is missing");
        assertThatThrownBy(() -> perform(Map.of("handler", "old"), null)).hasMessageContaining("'reason' is missing");
        assertThatThrownBy(() -> perform(Map.of("handler", "old", "stream", "default"), "removed"))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("stream");
        verifyNoInteractions(operations);
    }

    private @Nullable Object perform(Map<String, String> values, @Nullable String reason) {
        Map<String, @Nullable String> filters = new HashMap<>(values);
        return writes.perform("expire", new RequestFilters(filters), new EndpointWrites.Audit("ann", reason));
    }
}
