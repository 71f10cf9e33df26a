package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.FailureObserver;
import dev.outbox.internal.poll.PollerSettings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OnDemandDeliveryTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final List<String> handled = new ArrayList<>();

    @Test
    void deliversEveryStreamOnTheCallingThread() throws SQLException {
        Thread caller = Thread.currentThread();
        outbox.stream("bulk", PollerSettings.defaults().withConcurrency(4))
                .withoutPolling()
                .handler("mail", "OrderPlaced", (event) -> {
                    assertThat(Thread.currentThread()).isSameAs(caller);
                    handled.add(event.stream());
                });
        EventEnvelope first = outbox.publish("1", new OrderPlaced(1));
        outbox.publish(OutboxEvent.of("order", "2", new OrderPlaced(1)).inStream("bulk"));

        try (OnDemandDelivery delivery = outbox.runtime().onDemand(System::nanoTime, FailureObserver.NONE)) {
            delivery.register();
            while (delivery.runOnce()) {
                assertThat(handled).isEmpty();
            }
        }

        assertThat(handled).containsExactlyInAnyOrder("default", "bulk");
        assertThat(outbox.statusOf(first)).isEqualTo("PUBLISHED");
        assertThat(outbox.claims()).isZero();
    }

    @Test
    void redeliveryWritesNoOutcome() throws SQLException {
        outbox.withoutPolling().handler("mail", "OrderPlaced", (event) -> {
            handled.add(event.aggregateId());
            throw new IllegalStateException("no connection");
        });
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        try (OnDemandDelivery delivery = outbox.runtime().onDemand(System::nanoTime, FailureObserver.NONE)) {
            assertThat(delivery.redeliver(event, "mail").kind()).isEqualTo(DeliveryOutcome.Kind.FAILED);
        }

        assertThat(handled).containsExactly("1");
        assertThat(outbox.statusOf(event)).isEqualTo("PENDING");
        assertThat(outbox.deliveries()).isZero();
    }

    @Test
    void outboxWithPollersIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> outbox.runtime().onDemand(System::nanoTime, FailureObserver.NONE))
                .withMessage("the pollers of this instance deliver; set outbox.poller.enabled=false");
    }
}
