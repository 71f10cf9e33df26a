package dev.outbox.internal.registry;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.EnvelopeHandler;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An old and a new version of an application on one database. */
class RollingDeployTest {

    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    private final TestOutbox old = TestOutbox.create();

    private final TestOutbox recent = old.another();
    private final AtomicBoolean down = new AtomicBoolean(true);
    private final Recorded handled = Recorded.failing((attempt) -> down.get() ? new IOException("down") : null);

    @BeforeEach
    void poll() {
        old.poller(INTERVAL, 10, LEASE);
        recent.poller(INTERVAL, 10, LEASE);
    }

    @Test
    @Guarantee(
            value = "G3",
            sentence = "In a rolling deployment, events reach the new version's handlers whichever version claims.")
    void eventsReachHandlersOfBothVersions() {
        Recorded billing = Recorded.all();
        Recorded mail = Recorded.all();
        Recorded audit = Recorded.all();
        Set<String> typesOfTheOldVersion = ConcurrentHashMap.newKeySet();
        old.handler("billing", "OrderPlaced", (envelope) -> {
            typesOfTheOldVersion.add(envelope.eventType());
            billing.handle(envelope);
        });
        // The new version has a new handler, and its billing wants a new event type too.
        recent.handler(HandlerDefinition.of("billing", Set.of("OrderPlaced", "OrderPaid"), billing::handle))
                .handler("mail", "OrderPaid", mail)
                .handler("audit", "*", audit);
        old.start();
        recent.start();
        List<Long> all = new ArrayList<>();
        for (int number = 1; number <= 50; number++) {
            old.publish("1", new OrderPlaced(number));
            recent.publish("1", new OrderPaid(number));
            all.addAll(List.of(2L * number - 1, 2L * number));
        }

        old.awaitPublished(100);
        assertThat(billing.sequences()).containsEntry("1", all);
        assertThat(audit.sequences()).containsEntry("1", all);
        assertThat(mail.sequences())
                .containsEntry(
                        "1",
                        LongStream.rangeClosed(1, 50).mapToObj((n) -> 2 * n).toList());
        assertThat(old.deliveries()).isZero();
        // The new version may have been quicker every time.
        await().until(() -> {
            old.publish("2", new OrderPlaced(51));
            return !typesOfTheOldVersion.isEmpty();
        });
        assertThat(typesOfTheOldVersion).containsExactly("OrderPlaced");
    }

    @Test
    void restartedOldVersionKeepsTheNewSubscriptions() {
        Recorded recently = Recorded.all();
        recent.handler(HandlerDefinition.of("billing", Set.of("OrderPlaced", "OrderPaid"), recently::handle))
                .start();
        recent.runtime().close();
        old.handler("billing", "OrderPlaced", Recorded.all()).start();
        EventEnvelope paid = old.publish("1", new OrderPaid(1));

        assertThat(old.event(paid)).becomesRetrying();
        recent.start();
        assertThat(old.event(paid)).becomesPublished();
        assertThat(recently.handled()).hasSize(1);
    }

    @Test
    @Guarantee(
            value = "G3",
            sentence = "A renamed handler takes its lanes over in order while the old name still runs.")
    void renamedHandlerTakesItsLanesOverInOrder() {
        old.handler("oldName", "*", handled).start();
        old.publish("1", new OrderPlaced(1));
        await().until(() -> old.deliveries() == 1);
        recent.handler(renamed(handled)).start();
        for (int number = 2; number <= 40; number++) {
            recent.publish("1", new OrderPlaced(number));
            recent.publish("2", new OrderPlaced(number));
        }
        await().until(() -> old.deliveries() == 79);
        down.set(false);
        new Lanes(old).due();
        old.awaitPublished(79);

        // Once only: neither version takes the other's name for another handler.
        assertThat(handled.sequences())
                .containsEntry("1", LongStream.rangeClosed(1, 40).boxed().toList())
                .containsEntry("2", LongStream.rangeClosed(1, 39).boxed().toList());
    }

    @Test
    void renamedHandlerTakesOverWhatWasStoredUnderItsOldName() {
        old.handler("oldName", "*", handled).start();
        old.publishOrders("1", 5);
        await().until(() -> old.deliveries() == 5);
        old.runtime().close();
        new Lanes(old).due();
        down.set(false);
        recent.handler(renamed(handled)).start();

        recent.awaitPublished(5);
        assertThat(handled.sequences()).containsEntry("1", List.of(1L, 2L, 3L, 4L, 5L));
    }

    @Test
    @Guarantee(
            value = "G3",
            sentence = "After the rollback of a rename, the handler drains the lanes of its new id in order.")
    void rolledBackRenameDrainsTheLanesOfTheNewId() {
        recent.handler(renamed(handled)).start();
        recent.publishOrders("1", 10);
        recent.publishOrders("2", 10);
        await().until(() -> old.deliveries() == 20);
        recent.runtime().close();
        new Lanes(old).due();
        down.set(false);
        old.handler("oldName", "*", handled).start();
        old.publishOrders("1", 10);

        old.awaitPublished(30);
        assertThat(handled.sequences())
                .containsEntry("1", LongStream.rangeClosed(1, 20).boxed().toList())
                .containsEntry("2", LongStream.rangeClosed(1, 10).boxed().toList());
    }

    /** A resting instance finds what is due by the look only. */
    @Test
    void lookOfARolledBackHandlerFindsTheLanesOfItsNewId() throws SQLException {
        recent.handler(renamed(handled)).start();
        recent.publish("1", new OrderPlaced(1));
        await().until(() -> old.deliveries() == 1);
        recent.runtime().close();
        new Lanes(old).due();
        HandlerRegistry registry = new HandlerRegistry(
                () -> List.of(HandlerDefinition.of("oldName", Set.of("*"), (envelope) -> {})),
                old.dataSource(),
                OutboxSchema.DEFAULT);
        registry.register();

        InstanceStore.Work work = new InstanceStore(old.dataSource(), OutboxSchema.DEFAULT)
                .seen(
                        "old",
                        new InstanceStore.Equipment(
                                Set.of("default"),
                                registry.everyId(),
                                Map.of(),
                                Set.of(),
                                Set.of(),
                                Set.of(),
                                Activity.NONE));
        assertThat(work.streams()).containsExactly("default");
    }

    @Test
    void rolledBackVersionTakesOnlyItsOwnEventsFromTheLanesOfTheNewId() {
        recent.handler(HandlerDefinition.of("newName", Set.of("OrderPlaced", "OrderPaid"), handled)
                        .aliases("oldName"))
                .start();
        recent.publish("1", new OrderPlaced(1));
        EventEnvelope paid = recent.publish("1", new OrderPaid(2));
        EventEnvelope behind = recent.publish("1", new OrderPlaced(3));
        await().until(() -> old.deliveries() == 3);
        recent.runtime().close();
        new Lanes(old).due();
        down.set(false);
        old.handler("oldName", "OrderPlaced", handled).start();

        old.awaitPublished(1);
        EventEnvelope later = old.publish("1", new OrderPlaced(4));
        assertThat(old.event(later)).becomesRetrying();
        assertThat(handled.sequences()).containsEntry("1", List.of(1L));
        assertThat(List.of(paid, behind))
                .allSatisfy((event) -> assertThat(old.event(event)).isRetrying());
    }

    @Test
    void rolledBackHandlerReportsTheDeadLettersOfItsNewId() {
        recent.retry(new RetryPolicy(new RetryPolicy.Backoff.Delays(List.of(Duration.ZERO)), 1))
                .handler(renamed(handled))
                .start();
        EventEnvelope event = recent.publish("1", new OrderPlaced(1));
        assertThat(old.event(event)).becomesDead();
        recent.runtime().close();
        Set<String> reported = ConcurrentHashMap.newKeySet();
        old.handler(HandlerDefinition.of("oldName", Set.of("*"), (envelope) -> {})
                        .onDeadLetter((letter) -> reported.add(letter.handlerId())))
                .start();

        await().until(() -> reported.contains("newName"));
    }

    @Test
    void renamedHandlerDoesNotRepeatWhatItDeduplicatedUnderItsOldName() {
        CountDownLatch committed = new CountDownLatch(1);
        old.update("CREATE TABLE effect (seq bigint)");
        old.handler(HandlerDefinition.of("oldName", Set.of("*"), (envelope) -> effect(envelope))
                        .deduplicating())
                .start();
        EventEnvelope event = old.publish("1", new OrderPlaced(1));
        assertThat(old.event(event)).becomesPublished();
        // The outcome was lost: the event is to be handled once more, now by the new version.
        old.runtime().close();
        loseTheOutcome();
        recent.handler(renamed((envelope) -> {
                            effect(envelope);
                            committed.countDown();
                        })
                        .deduplicating())
                .start();
        assertThat(old.event(event)).becomesPublished();
        assertThat(old.count("effect")).isEqualTo(1);
        recent.publish("1", new OrderPlaced(2));
        awaitLatch(committed);
        await().until(() -> old.count("effect") == 2);
    }

    /** The handler {@code oldName} under its new name. */
    private static HandlerDefinition renamed(EnvelopeHandler handler) {
        return HandlerDefinition.of("newName", Set.of("*"), handler).aliases("oldName");
    }

    private void effect(EventEnvelope envelope) {
        old.update("INSERT INTO effect VALUES (?)", envelope.sequence());
    }

    private void loseTheOutcome() {
        old.update("""
                        WITH moved AS (DELETE FROM events.outbox_published RETURNING *)
                        INSERT INTO events.outbox (id, event_id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
                        SELECT id, event_id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload FROM moved
                        """);
    }
}
