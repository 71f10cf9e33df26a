package dev.outbox.internal.absence;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.registry.Activity;
import dev.outbox.internal.registry.InstanceStore;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class UnpolledStreamsTest {

    private static final Duration PERIOD = Duration.ofMinutes(5);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().withoutPolling().stream("slow", PollerSettings.defaults());

    private final UnpolledStreams streams = new UnpolledStreams(outbox.dataSource(), OutboxSchema.DEFAULT, PERIOD);

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(UnpolledStreams.class).from(Level.INFO);

    @Test
    void reportsWhatTwoLooksFindOnceAndWhenItChanges() throws SQLException {
        assertThat(streams.runOnce()).isEqualTo(PERIOD);
        outbox.publish(OutboxEvent.of("order", "1", new OrderPlaced(1)).inStream("slow"));
        assertThat(streams.runOnce()).as("a new event").isEqualTo(PERIOD);
        publishOld("2", "default");

        assertThat(streams.runOnce()).isEqualTo(Duration.ofMinutes(1));
        assertThat(streams.current()).isEmpty();
        streams.runOnce();
        streams.runOnce();
        assertThat(streams.current()).containsExactly("default");
        assertThat(lines())
                .singleElement()
                .asString()
                .contains("WARN", "No running instance polls stream default", "outbox.poller.enabled");

        outbox.update("ALTER TABLE events.outbox_unpublished DISABLE TRIGGER USER");
        outbox.update("UPDATE events.outbox_unpublished SET occurred_at = now() - interval '70 s'");
        streams.runOnce();
        streams.runOnce();
        assertThat(lines()).hasSize(2).last().asString().contains("WARN", "polls streams [default, slow]");

        polled("default", "slow");
        streams.runOnce();
        assertThat(streams.current()).isEmpty();
        assertThat(lines()).hasSize(3).last().asString().startsWith("INFO");
    }

    @Test
    void crashedInstanceDoesNotPoll() throws SQLException {
        publishOld("1", "default");
        polled("default");
        assertThat(streams.runOnce()).isEqualTo(PERIOD);

        outbox.update("UPDATE events.outbox_instance SET last_seen_at = now() - interval '61 s'");

        streams.runOnce();
        streams.runOnce();
        assertThat(streams.current()).containsExactly("default");
    }

    @Test
    void retriesWaitAndDeadLettersDoNot() {
        Lanes lanes = new Lanes(outbox);
        List<EventEnvelope> events = outbox.publishOrders("1", 2);
        lanes.dead("mail", events.get(0));
        lanes.dead("mail", events.get(1));
        assertThat(streams.runOnce()).isEqualTo(PERIOD);

        lanes.failed("push", events.get(1));

        streams.runOnce();
        streams.runOnce();
        assertThat(streams.current()).containsExactly("default");
    }

    @Test
    void overdueScheduledEventsWaitAndLaterOnesDoNot() {
        schedule(Instant.now().plusSeconds(60));
        assertThat(streams.runOnce()).isEqualTo(PERIOD);

        schedule(Instant.now().minusSeconds(70));

        streams.runOnce();
        streams.runOnce();
        assertThat(streams.current()).containsExactly("slow");
    }

    private void schedule(Instant due) {
        outbox.publish(OutboxEvent.of("order", "1", new OrderPlaced(1))
                .inStream("slow")
                .deliverAt(due));
    }

    @Test
    void roleThatMayOnlyPublishFindsNothing() {
        try (TestOutbox publisher = outbox.another("outbox_publisher").withoutPolling()) {
            publisher.publish("1", new OrderPlaced(1));
            UnpolledStreams unknown = new UnpolledStreams(publisher.dataSource(), OutboxSchema.DEFAULT, PERIOD);

            unknown.runOnce();
            unknown.runOnce();

            assertThat(unknown.current()).isEmpty();
            assertThat(lines()).isEmpty();
        }
    }

    private void publishOld(String aggregateId, String stream) {
        outbox.publish(OutboxEvent.of("order", aggregateId, new OrderPlaced(1))
                .inStream(stream)
                .occurredAt(Instant.now().minusSeconds(70)));
    }

    private void polled(String... names) throws SQLException {
        new InstanceStore(outbox.dataSource(), OutboxSchema.DEFAULT)
                .seen(
                        "worker",
                        new InstanceStore.Equipment(
                                Set.of(names), Set.of(), Map.of(), Set.of(), Set.of(), Set.of(), Activity.NONE));
    }

    private List<String> lines() {
        return log.events().stream()
                .map((line) -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }
}
