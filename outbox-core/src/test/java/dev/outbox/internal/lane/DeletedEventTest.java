package dev.outbox.internal.lane;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.registry.ActiveHandlers;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** SQL by hand on events that handlers have not finished. */
class DeletedEventTest {

    private static final RetryPolicy ONCE = new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(LostEvents.class);

    private final AtomicBoolean down = new AtomicBoolean(true);
    private final Recorded mail = Recorded.failing((attempt) -> down.get() ? new IOException("down") : null);

    @Test
    void deadEventStaysInTheQueue() {
        outbox.handler("mail", "*", mail).retry(ONCE).start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        assertThat(outbox.event(event)).becomesDead();

        assertThatThrownBy(() -> outbox.update("DELETE FROM events.outbox WHERE status = 'DEAD'"))
                .hasStackTraceContaining("is DEAD and cannot leave the queue")
                .hasStackTraceContaining("Skip its deliveries");
        assertThatThrownBy(() -> outbox.update("UPDATE events.outbox SET status = 'PUBLISHED', published_at = now()"))
                .hasStackTraceContaining("is DEAD and cannot leave the queue");
        assertThatThrownBy(() -> outbox.update("UPDATE events.outbox SET status = 'PENDING', attempt_count = 0"))
                .hasStackTraceContaining("cannot be PENDING")
                .hasStackTraceContaining("retry its deliveries");
        assertThat(outbox.event(event)).becomesDead();
    }

    @Test
    void deliveryWhoseEventIsGoneDoesNotStopItsLane() {
        outbox.handler("mail", "*", mail).start();
        EventEnvelope lost = outbox.publish("1", new OrderPlaced(1));
        EventEnvelope next = outbox.publish("1", new OrderPlaced(2));
        assertThat(outbox.event(lost)).becomesRetrying();
        await().until(() -> outbox.deliveries() == 2);

        outbox.update("ALTER TABLE events.outbox_unpublished DISABLE TRIGGER USER");
        outbox.update("DELETE FROM events.outbox WHERE id = " + lost.id());
        down.set(false);
        new Lanes(outbox).due();

        assertThat(outbox.event(next)).becomesPublished();
        assertThat(outbox.deliveries()).isZero();
        assertThat(outbox.lanes()).isZero();
        assertThat(log.messages())
                .singleElement()
                .asString()
                .startsWith("Removed deliveries of stream default whose events are no longer in the database: 1");
    }

    /** Under a steady load, every claim takes some lane: it must not wait for one that takes none. */
    @Test
    void deliveryWhoseEventIsGoneIsRemovedBesideOthers() throws SQLException {
        outbox.addStream("default");
        Lanes lanes = new Lanes(outbox);
        EventEnvelope lost = outbox.publish("1", new OrderPlaced(1));
        EventEnvelope other = outbox.publish("2", new OrderPlaced(1));
        lanes.failed("mail", lost);
        lanes.failed("mail", other);
        outbox.update("ALTER TABLE events.outbox_unpublished DISABLE TRIGGER USER");
        outbox.update("DELETE FROM events.outbox WHERE id = " + lost.id());
        lanes.due();

        assertThat(new LaneSteps(outbox).claimDue(10, ActiveHandlers.ofAllTypes("mail")))
                .extracting((due) -> due.envelope().eventId())
                .containsExactly(other.eventId());
        assertThat(outbox.deliveries()).isEqualTo(1);
        assertThat(outbox.lanes()).isEqualTo(1);
    }
}
