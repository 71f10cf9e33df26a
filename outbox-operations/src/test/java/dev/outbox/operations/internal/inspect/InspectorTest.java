package dev.outbox.operations.internal.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.operations.Count;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.EventDetails.Status;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.fixture.Operator;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The overview, and single events. */
class InspectorTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().withoutPolling().stream("slow", PollerSettings.defaults());

    private final Lanes lanes = new Lanes(outbox);
    private OutboxInspector inspector;

    @BeforeEach
    void build() throws SQLException {
        inspector = Operator.of(outbox).inspector();
        outbox.addStream("default");
    }

    @Test
    void overviewOfEmptyOutboxHasItsStreams() {
        OutboxOverview overview = inspector.overview();

        assertThat(overview.streams()).extracting(OutboxOverview.Stream::name).containsExactly("default");
        assertThat(overview.streams().get(0).backlog())
                .isEqualTo(new OutboxOverview.Backlog(
                        Count.NONE,
                        Count.NONE,
                        Count.NONE,
                        Count.NONE,
                        Count.NONE,
                        Duration.ZERO,
                        Duration.ZERO,
                        Count.NONE,
                        Duration.ZERO));
        assertThat(overview.streams().get(0).deliveredPerSecond()).isZero();
        assertThat(overview.handlers()).isEmpty();
        assertThat(overview.instances()).isEmpty();
    }

    @Test
    void overviewShowsTheTablesThatGrow() {
        outbox.publishOrders("1", 3);
        // A session reports its statistics within 10 s.
        await().atMost(Duration.ofSeconds(30)).until(() -> queue().rowsPerDay() == 3);
        outbox.sql().sql("VACUUM ANALYZE events.outbox_unpublished").update();

        assertThat(queue().rows()).isEqualTo(3);
        assertThat(queue().bytes()).isPositive();
        assertThat(inspector.overview().tables())
                .extracting(OutboxOverview.Table::name)
                .contains(
                        "events.outbox_published", "events.outbox_aggregate", "events.processed_event", "audit.events")
                .doesNotContain("events.outbox_stream");
    }

    private OutboxOverview.Table queue() {
        return inspector.overview().tables().stream()
                .filter((table) -> table.name().equals("events.outbox_unpublished"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void overviewShowsStreams() {
        List<EventEnvelope> events = outbox.publishOrders("1", 5);
        lanes.published(events.get(0));
        lanes.dead("mail", events.get(1));
        lanes.failed("mail", events.get(2));
        outbox.publish(OutboxEvent.of("invoice", "2", new OrderPlaced(1)).inStream("slow"));
        lanes.claimed(events.get(3), "1 minute");
        outbox.sql()
                .sql("UPDATE events.outbox_stream SET paused_until = 'infinity' WHERE stream = 'default'")
                .update();

        OutboxOverview overview = inspector.overview();
        assertThat(overview.streams()).extracting(OutboxOverview.Stream::name).containsExactly("default", "slow");
        OutboxOverview.Stream stream = overview.streams().get(0);
        assertThat(stream.paused()).isTrue();
        assertThat(overview.streams().get(1).paused()).isFalse();
        assertThat(stream.backlog())
                .extracting(
                        OutboxOverview.Backlog::pending,
                        OutboxOverview.Backlog::processing,
                        OutboxOverview.Backlog::retrying,
                        OutboxOverview.Backlog::dead)
                .containsOnly(new Count(1, true));
        assertThat(stream.backlog().oldestPending()).isPositive();
        assertThat(stream.backlog().oldestRetrying()).isPositive();
        assertThat(stream.deliveredPerSecond()).isCloseTo(1 / 60.0, within(0.001));
        assertThat(stream.claims()).singleElement().satisfies((claim) -> {
            assertThat(claim.worker()).isEqualTo("ann:1");
            assertThat(claim.events()).isEqualTo(1);
            assertThat(claim.leaseUntil()).isAfter(overview.at()).isAfter(claim.claimedAt());
        });
    }

    @Test
    void overviewCountsDeliveriesUnderFormerIdsWithTheirHandler() {
        lanes.registered("mail", "{letter}", "*");
        lanes.registered("letter", "{}", "OrderPlaced");
        lanes.registered("audit", "{}", "OrderPlaced");
        List<EventEnvelope> first = outbox.publishOrders("1", 2);
        List<EventEnvelope> second = outbox.publishOrders("2", 2);
        lanes.failed("mail", first.get(0));
        lanes.waiting("mail", first.get(1));
        lanes.failed("letter", second.get(0));
        lanes.dead("letter", second.get(1));

        assertThat(inspector.overview().handlers())
                .extracting(OutboxOverview.Handler::id)
                .containsExactly("audit", "mail");
        OutboxOverview.Handler mail = inspector.overview().handlers().get(1);
        assertThat(mail.eventTypes()).containsExactly("*");
        assertThat(mail.lastSeenAt()).isNotNull();
        assertThat(mail.deliveries())
                .extracting(OutboxOverview.Deliveries::open, OutboxOverview.Deliveries::dead)
                .containsExactly(new Count(3, true), new Count(1, true));
        assertThat(mail.deliveries().lag()).isPositive();
    }

    @Test
    void handlerPausedBeforeItsFirstRegistrationWasNeverSeen() {
        Operator.of(outbox).operations().pauseNewHandler("mail", "ann", "it needs the past first");

        assertThat(inspector.overview().handlers()).singleElement().satisfies((handler) -> {
            assertThat(handler.paused()).isTrue();
            assertThat(handler.lastSeenAt()).isNull();
        });
    }

    @Test
    void eventShowsEachHandler() {
        lanes.registered("audit", "{}", "OrderPlaced");
        lanes.registered("mail", "{letter}", "*");
        lanes.registered("billing", "{}", "OrderPaid");
        EventEnvelope event = outbox.publishOrders("1", 1).get(0);

        EventDetails pending = inspector.findEvent(event.eventId()).orElseThrow();
        assertThat(pending.progress().status()).isEqualTo(Status.PENDING);
        assertThat(pending.schemaVersion()).isEqualTo(1);
        assertThat(pending.event().id()).isEqualTo(event.id());
        assertThat(pending.handlers())
                .extracting((handler) -> handler.handlerId() + " " + handler.outcome())
                .containsExactly("audit PENDING", "mail PENDING");

        lanes.failed("letter", event);
        lanes.dead("scan", event);
        lanes.dead("stock", event);
        Operator.of(outbox).operations().skip(DeliverySelection.delivery(event.eventId(), "stock"), "ann", "sold out");

        EventDetails details = inspector.findEvent(event.eventId()).orElseThrow();
        assertThat(details.progress().status()).isEqualTo(Status.RETRYING);
        assertThat(details.progress().dispatchedAt()).isNotNull();
        assertThat(details.handlers())
                .extracting((handler) -> handler.handlerId() + " " + handler.outcome())
                .containsExactly("audit DONE", "mail OPEN", "scan DEAD", "stock SKIPPED");
        assertThat(details.handlers().get(1).delivery().handlerId()).isEqualTo("letter");
        assertThat(details.operations())
                .singleElement()
                .satisfies((operation) -> assertThat(operation.action()).isEqualTo("SKIP"));
    }

    @Test
    void heldEventIsProcessing() {
        List<EventEnvelope> events = outbox.publishOrders("1", 3);
        lanes.claimed(events.get(0), "1 minute");
        lanes.claimed(events.get(1), "-1 minute");
        lanes.failed("mail", events.get(2));
        lanes.locked("mail", events.get(2), "1 minute");

        EventDetails.Progress claimed = progress(events.get(0));
        assertThat(claimed.status()).isEqualTo(Status.PROCESSING);
        assertThat(claimed.claim().worker()).isEqualTo("ann:1");
        assertThat(progress(events.get(1)).status()).isEqualTo(Status.PENDING);
        assertThat(progress(events.get(1)).claim()).isNotNull();
        assertThat(progress(events.get(2)).status()).isEqualTo(Status.PROCESSING);
        assertThat(progress(events.get(2)).claim()).isNull();
    }

    @Test
    void contentIsReadApart() {
        EventEnvelope event =
                outbox.publish(OutboxEvent.of("order", "1", new OrderPaid(7)).withHeader("traceId", "t1"));

        EventDetails.Content content = inspector.findContent(event.eventId()).orElseThrow();
        assertThat(content.payload()).contains("7");
        assertThat(content.headers()).containsEntry("traceId", "t1");
        assertThat(inspector.findContent(UUID.randomUUID())).isEmpty();
        assertThat(inspector.findEvent(UUID.randomUUID())).isEmpty();
    }

    private EventDetails.Progress progress(EventEnvelope event) {
        return inspector.findEvent(event.eventId()).orElseThrow().progress();
    }
}
