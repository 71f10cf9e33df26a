package dev.outbox.operations.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.NonRetryableException;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.gauges.QueueGauges;
import dev.outbox.internal.metrics.OutboxMeters;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.fixture.Operator;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What alerts see of a delivery that waits again. */
class AgeOfRetriedDeliveryTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final MeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void deliveryThatAnOperatorRetriesIsNoLongerOld() {
        outbox.handler("mail", "*", Recorded.failing((attempt) -> new NonRetryableException("never")))
                .start();
        outbox.publish("1", new OrderPlaced(1));
        await().until(() -> outbox.deadDeliveries() == 1);
        outbox.runtime().close();
        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET open_since = now() - interval '1 day'")
                .update();
        QueueGauges gauges = new QueueGauges(outbox.dataSource(), OutboxSchema.DEFAULT, Duration.ZERO);
        OutboxMeters.register(registry, "default", gauges, () -> 0);
        OutboxMeters.registerHandler(registry, "mail", gauges);

        Operator.of(outbox)
                .operations()
                .retry(DeliverySelection.all().ofHandler("mail"), "ann", "the mail server is back");

        await().untilAsserted(() -> assertThat(gauge("outbox.retrying")).isEqualTo(1));
        assertThat(ofHandler("outbox.handler.oldest", "mail")).isBetween(0.001, 3600.0);
        assertThat(gauge("outbox.oldest.retrying")).isBetween(0.001, 3600.0);
    }

    private double gauge(String name) {
        return registry.get(name).tag("stream", "default").gauge().value();
    }

    private double ofHandler(String name, String handler) {
        return registry.get(name).tag("handler", handler).gauge().value();
    }
}
