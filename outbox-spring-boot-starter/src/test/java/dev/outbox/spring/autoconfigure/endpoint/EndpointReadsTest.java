package dev.outbox.spring.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.outbox.operations.Delivery;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class EndpointReadsTest {

    private static final UUID ID = UUID.randomUUID();

    private final OutboxInspector inspector = mock(OutboxInspector.class);

    @Test
    void payloadIsNeitherReadNorShownByDefault() {
        when(inspector.findEvent(ID)).thenReturn(Optional.of(details()));

        Object event = reads(false).get("events", ID.toString());

        assertThat(event).isEqualTo(new EndpointReads.Event(details(), null, null));
        verify(inspector, never()).findContent(any());
    }

    @Test
    void payloadIsShownIfItIsAllowed() {
        when(inspector.findEvent(ID)).thenReturn(Optional.of(details()));
        when(inspector.findContent(ID))
                .thenReturn(Optional.of(new EventDetails.Content("{\"item\":1}", Map.of("tenant", "acme"))));

        assertThat(reads(true).get("events", ID.toString()))
                .isInstanceOfSatisfying(EndpointReads.Event.class, (event) -> {
                    assertThat(event.payload())
                            .extracting(String::valueOf, InstanceOfAssertFactories.STRING)
                            .contains("RawValue");
                    assertThat(event.headers()).containsEntry("tenant", "acme");
                });
    }

    private EndpointReads reads(boolean showPayloads) {
        return new EndpointReads(
                inspector,
                mock(OutboxOperations.class),
                mock(Replays.class),
                mock(ScheduledEvents.class),
                showPayloads);
    }

    private static EventDetails details() {
        return new EventDetails(
                new Delivery.Event(1, ID, "default", "OrderPlaced", "order", "42", 1, Instant.EPOCH),
                1,
                new EventDetails.Progress(EventDetails.Status.PENDING, null, null, null, null),
                List.of(),
                List.of());
    }
}
