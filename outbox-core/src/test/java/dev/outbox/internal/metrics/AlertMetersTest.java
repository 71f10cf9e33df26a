package dev.outbox.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OnDead;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.gauges.QueueGauges;
import dev.outbox.internal.sql.OutboxSchema;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.Reference;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Meters that only alerts need. */
class AlertMetersTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void countersThatAlertsWatchBeginAtZero() {
        QueueGauges gauges = new QueueGauges(outbox.dataSource(), OutboxSchema.DEFAULT, Duration.ZERO);
        OutboxMeters.register(registry, "default", gauges, () -> 0);

        assertThat(registry.get("outbox.unrouted")
                        .tag("stream", "default")
                        .counter()
                        .count())
                .isZero();
        assertThat(registry.get("outbox.lease.lost")
                        .tag("stream", "default")
                        .counter()
                        .count())
                .isZero();
    }

    @Test
    void openCircuitIsOneUntilItCloses() {
        Set<String> open = new TreeSet<>(Set.of("mail", "sms"));
        OutboxMeters circuits = new OutboxMeters(registry, () -> open);
        circuits.circuitOpened("default", "mail");
        circuits.circuitOpened("other", "mail");

        Gauge mail = registry.get("outbox.circuits.open").tag("handler", "mail").gauge();
        assertThat(mail.value()).isEqualTo(1);
        open.remove("mail");
        assertThat(mail.value()).isZero();
        assertThat(registry.get("outbox.circuits.open").gauges()).hasSize(1);
    }

    @Test
    void deadLettersThatBlockLanesAreCounted() {
        outbox.handler(HandlerDefinition.of("strict", Set.of("*"), (envelope) -> {
                            throw new NonRetryableException("never");
                        })
                        .onDead(OnDead.BLOCK))
                .handler("lenient", "*", Recorded.failing((attempt) -> new NonRetryableException("never")))
                .start();
        outbox.publish("1", new OrderPlaced(1));
        outbox.publish("1", new OrderPlaced(2));
        outbox.publish("2", new OrderPlaced(1));
        QueueMeters meters =
                new QueueMeters(registry, new QueueGauges(outbox.dataSource(), OutboxSchema.DEFAULT, Duration.ZERO));
        meters.register("default");

        await().untilAsserted(() -> assertThat(gauge("outbox.lanes.blocked")).isEqualTo(2));
        await().untilAsserted(() -> assertThat(gauge("outbox.dead")).isEqualTo(5));
        // The registry refers to what it measures weakly.
        Reference.reachabilityFence(meters);
    }

    @Test
    void deadLetterOfEventThatAnotherHandlerRetriesIsCounted() {
        outbox.handler("mail", "*", Recorded.failing((attempt) -> new NonRetryableException("never")))
                .handler("push", "*", Recorded.failing((attempt) -> new IllegalStateException("later")))
                .start();
        outbox.publish("1", new OrderPlaced(1));
        QueueGauges gauges = new QueueGauges(outbox.dataSource(), OutboxSchema.DEFAULT, Duration.ZERO);
        OutboxMeters.register(registry, "default", gauges, () -> 0);
        OutboxMeters.registerHandler(registry, "mail", gauges);
        OutboxMeters.registerHandler(registry, "push", gauges);

        await().untilAsserted(() -> assertThat(gauge("outbox.dead")).isEqualTo(1));
        assertThat(gauge("outbox.retrying")).isEqualTo(1);
        assertThat(ofHandler("outbox.handler.dead", "mail")).isEqualTo(1);
        assertThat(ofHandler("outbox.handler.dead", "push")).isZero();
        assertThat(ofHandler("outbox.handler.oldest", "mail")).isZero();
        assertThat(ofHandler("outbox.handler.oldest", "push")).isPositive();
    }

    @Test
    void pausedHandlerIsOne() {
        outbox.handler("mail", "*", (event) -> {}).start();
        QueueGauges gauges = new QueueGauges(outbox.dataSource(), OutboxSchema.DEFAULT, Duration.ZERO);
        OutboxMeters.registerHandler(registry, "mail", gauges);
        await().untilAsserted(() ->
                assertThat(ofHandler("outbox.handler.paused", "mail")).isZero());

        outbox.update("UPDATE events.outbox_handler SET paused_until = 'infinity'");

        await().untilAsserted(() ->
                assertThat(ofHandler("outbox.handler.paused", "mail")).isOne());
    }

    @Test
    void pausedStreamIsOneUntilItsPauseEnds() throws SQLException {
        outbox.addStream("default");
        QueueGauges gauges = new QueueGauges(outbox.dataSource(), OutboxSchema.DEFAULT, Duration.ZERO);
        OutboxMeters.register(registry, "default", gauges, () -> 0);
        await().untilAsserted(() -> assertThat(gauge("outbox.stream.paused")).isZero());

        outbox.update("UPDATE events.outbox_stream SET paused_until = now() + interval '1 hour'");
        await().untilAsserted(() -> assertThat(gauge("outbox.stream.paused")).isOne());

        outbox.update("UPDATE events.outbox_stream SET paused_until = now()");
        await().untilAsserted(() -> assertThat(gauge("outbox.stream.paused")).isZero());
    }

    @Test
    void eventsThatOnlyPausesHoldAreCounted() {
        outbox.handler("mail", "*", Recorded.failing((attempt) -> new IllegalStateException("later")))
                .handler("push", "OrderPaid", Recorded.failing((attempt) -> new IllegalStateException("later")))
                .start();
        outbox.publish("1", new OrderPlaced(1));
        outbox.publish("2", new OrderPaid(1));
        QueueGauges gauges = new QueueGauges(outbox.dataSource(), OutboxSchema.DEFAULT, Duration.ZERO);
        OutboxMeters.register(registry, "default", gauges, () -> 0);
        await().untilAsserted(() -> assertThat(gauge("outbox.retrying")).isEqualTo(2));
        assertThat(gauge("outbox.retrying.paused")).isZero();

        outbox.update("UPDATE events.outbox_handler SET paused_until = 'infinity' WHERE id = 'mail'");
        await().untilAsserted(() -> assertThat(gauge("outbox.retrying.paused")).isOne());
        outbox.update("UPDATE events.outbox_handler SET paused_until = 'infinity'");
        await().untilAsserted(() -> assertThat(gauge("outbox.retrying.paused")).isEqualTo(2));
    }

    /** Its deliveries wait because an operator wants it. */
    @Test
    void lagOfHandlerLeavesOutPausedStreams() {
        outbox.handler("push", "*", Recorded.failing((attempt) -> new IllegalStateException("later")))
                .start();
        outbox.publish("1", new OrderPlaced(1));
        QueueGauges gauges = new QueueGauges(outbox.dataSource(), OutboxSchema.DEFAULT, Duration.ZERO);
        OutboxMeters.registerHandler(registry, "push", gauges);
        await().untilAsserted(() ->
                assertThat(ofHandler("outbox.handler.oldest", "push")).isPositive());

        outbox.update("UPDATE events.outbox_stream SET paused_until = 'infinity'");
        await().untilAsserted(() ->
                assertThat(ofHandler("outbox.handler.oldest", "push")).isZero());
    }

    private double gauge(String name) {
        return registry.get(name).tag("stream", "default").gauge().value();
    }

    private double ofHandler(String name, String handler) {
        return registry.get(name).tag("handler", handler).gauge().value();
    }
}
