package dev.outbox.spring.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import dev.outbox.operations.Count;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Erased;
import dev.outbox.operations.OutboxOperations.InboxStart;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.spring.internal.RequestFilters;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EndpointWritesTest {

    private final OutboxOperations operations = mock(OutboxOperations.class);
    private final ScheduledEvents scheduled = mock(ScheduledEvents.class);
    private final EndpointWrites writes = new EndpointWrites(operations, mock(Replays.class), scheduled);

    @Test
    void expiresHandlerOrSubscription() {
        when(operations.expireHandler("old", "ann", "removed")).thenReturn(true);

        when(operations.expireSubscription("billing", "OrderPaid", "ann", "dropped"))
                .thenReturn(true);

        assertThat(perform(Map.of("handler", "old"), "removed")).isEqualTo(Map.of("changed", true));
        assertThat(perform(Map.of("handler", "billing", "eventType", "OrderPaid"), "dropped"))
                .isEqualTo(Map.of("changed", true));
    }

    @Test
    void resumesInboxWhereOperatorDecides() {
        assertThat(perform("resumeInbox", Map.of("inbox", "shop", "at", "latest"), "entered by hand"))
                .isEqualTo(Map.of("changed", true));
        verify(operations).resumeInbox("shop", InboxStart.LATEST, "ann", "entered by hand");

        assertThatThrownBy(() -> perform("resumeInbox", Map.of("inbox", "shop"), "by hand"))
                .hasMessageContaining("'at' is missing");
        assertThatThrownBy(() -> perform("resumeInbox", Map.of("inbox", "shop", "at", "5"), "by hand"))
                .hasMessageContaining("'at' must be EARLIEST or LATEST, not '5'");
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

    @Test
    void deliversAndCancelsScheduledEvents() {
        UUID event = new UUID(1, 2);
        when(scheduled.deliverNow(event, "ann", "asked for")).thenReturn(true);
        when(scheduled.cancel(event, "ann", "obsolete")).thenReturn(true);
        Map<String, String> selected = Map.of("event", event.toString());

        assertThat(perform("deliver", selected, "asked for")).isEqualTo(Map.of("changed", true));
        assertThat(perform("cancel", selected, "obsolete")).isEqualTo(Map.of("changed", true));
        assertThatThrownBy(() -> perform("deliver", Map.of(), "asked for")).hasMessageContaining("'event' is missing");
        assertThatThrownBy(() -> perform("cancel", Map.of(), "asked for")).hasMessageContaining("either a 'replay'");
    }

    @Test
    void erasesEventsOfAnAggregateOrAnEvent() {
        UUID event = new UUID(1, 2);
        when(operations.erase(Erasure.ofAggregate("customer", "4&2").withoutDelivery(), "ann", "request 4711"))
                .thenReturn(Erased.of(3, Count.NONE));
        when(operations.erase(Erasure.ofEvents(Set.of(event)), "ann", "request 4711"))
                .thenReturn(Erased.of(1, Count.NONE));

        assertThat(erase("aggregateType=customer&aggregateId=4%262&undelivered=withdraw"))
                .isEqualTo(Erased.of(3, Count.NONE));
        assertThat(erase("event=" + event)).isEqualTo(Erased.of(1, Count.NONE));
        for (String refused : Set.of(
                "undelivered=KEEP",
                "aggregateType=customer",
                "event=" + event + "&handler=mail",
                "event=" + event + "&undelivered=all")) {
            assertThatThrownBy(() -> erase(refused)).as(refused).isInstanceOf(InvalidOperationException.class);
        }
    }

    private @Nullable Object erase(String selection) {
        return perform("erase", Map.of("selection", selection), "request 4711");
    }

    private @Nullable Object perform(Map<String, String> values, @Nullable String reason) {
        return perform("expire", values, reason);
    }

    private @Nullable Object perform(String command, Map<String, String> values, @Nullable String reason) {
        Map<String, @Nullable String> filters = new HashMap<>(values);
        return writes.perform(command, new RequestFilters(filters), new EndpointWrites.Audit("ann", reason));
    }
}
