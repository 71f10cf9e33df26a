package dev.outbox.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.Dispatcher.ClaimedEvent;
import dev.outbox.internal.dispatch.Dispatcher.DispatchedEvent;
import dev.outbox.internal.lease.ClaimKey;
import dev.outbox.internal.registry.HandlerRegistry;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BatchTest {

    @Test
    void keepsOutcomesThatArriveDuringASettlement() {
        try (TestOutbox outbox = TestOutbox.create()) {
            ClaimedEvent first = new ClaimedEvent(outbox.publish("1", new OrderPlaced(1)), 0, Set.of());
            ClaimedEvent second = new ClaimedEvent(outbox.publish("2", new OrderPlaced(1)), 0, Set.of());
            ClaimKey key = new ClaimKey(1, UUID.randomUUID());
            EventBatch batch = EventBatch.byAggregate(
                    new EventBatch.Limits(new ClaimStore.Claim(key, List.of(first, second)), 50, false),
                    new HandlerRegistry.Version("server", 1, 0),
                    null,
                    (event) -> false,
                    1);
            batch.add(new DispatchedEvent(first, Map.of(), false));
            List<DispatchedEvent> settling = batch.unsettled();
            DispatchedEvent late = new DispatchedEvent(second, Map.of(), false);
            batch.add(late);

            batch.removeSettled(settling, (outcome) -> false);

            assertThat(batch.unsettled()).containsExactly(late);
        }
    }
}
