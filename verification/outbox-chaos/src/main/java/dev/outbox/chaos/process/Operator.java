package dev.outbox.chaos.process;

import dev.outbox.OutboxException;
import dev.outbox.RetryAfterException;
import dev.outbox.chaos.history.Fact.Operated;
import dev.outbox.chaos.history.Fact.Operation;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvent;
import dev.outbox.operations.ScheduledEvents;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/** Operator who retries, skips, replays, erases and reschedules while publishers and workers run. Writes what it does with a delivery before it does so. */
final class Operator {

    private static final Logger log = LoggerFactory.getLogger(Operator.class);

    private static final String ACTOR = "chaos";
    private static final String PAYMENTS = "payments";
    private static final int REPLAY_RATE = 1000;

    private static final String RECENT = """
            SELECT min(occurred_at)
            FROM (SELECT occurred_at
                  FROM events.outbox_published
                  WHERE event_type = ?
                  ORDER BY id DESC
                  LIMIT ?) recent
            """;

    private static final String LATEST = "SELECT event_id FROM events.outbox_published ORDER BY id DESC LIMIT ?";

    private final OutboxOperations operations;
    private final Replays replays;
    private final ScheduledEvents scheduled;
    private final JdbcTemplate jdbc;
    private final FactWriter facts;

    Operator(
            OutboxOperations operations,
            Replays replays,
            ScheduledEvents scheduled,
            JdbcTemplate jdbc,
            FactWriter facts) {
        this.operations = operations;
        this.replays = replays;
        this.scheduled = scheduled;
        this.jdbc = jdbc;
        this.facts = facts;
    }

    /** Retries dead deliveries. */
    void retry(long limit) {
        attempt(() -> {
            for (Delivery dead : dead(limit)) {
                note(Operation.RETRY, dead.event().eventId(), dead.handlerId());
                operations.retry(selection(dead), ACTOR, "may have been bad luck");
            }
        });
    }

    /** Skips dead deliveries. */
    void skip(long limit) {
        attempt(() -> {
            for (Delivery dead : dead(limit)) {
                skip(dead, "not worth another attempt");
            }
        });
    }

    /** Skips deliveries whose handler said when to come back, which may be in a million years. */
    void skipDelayed(long limit) {
        DeliverySelection delayed = DeliverySelection.all()
                .withErrorCode(RetryAfterException.class.getSimpleName())
                .withStatus(DeliveryStatus.OPEN);
        attempt(() -> operations
                .find(delayed, Math.toIntExact(limit))
                .forEach((delivery) -> skip(delivery, "its delay is absurd")));
    }

    /** Pauses the stream of payments, or with 0, resumes it. */
    void pauseOrResume(long pause) {
        attempt(() -> {
            if (pause == 0) {
                operations.resumeStream(PAYMENTS, ACTOR, "there is a backlog");
            } else {
                operations.pauseStream(PAYMENTS, ACTOR, "there is no backlog");
            }
        });
    }

    private void skip(Delivery delivery, String reason) {
        note(Operation.SKIP, delivery.event().eventId(), delivery.handlerId());
        operations.skip(selection(delivery), ACTOR, reason);
    }

    /** Replays the latest published events to a handler that deduplicates and to one that does not. */
    void replay(long limit) {
        attempt(() -> {
            replay(Traffic.PAID, WorkerHandlers.BOOKING, limit);
            replay(Traffic.MOVED, WorkerHandlers.FLAKY, limit);
        });
    }

    private void replay(String eventType, String handler, long limit) {
        OffsetDateTime since = jdbc.queryForObject(RECENT, OffsetDateTime.class, eventType, limit);
        if (since == null) {
            return;
        }
        ReplayRequest request = ReplayRequest.of(handler).eventTypes(eventType).occurred(since.toInstant(), null);
        replays.start(request.rate(REPLAY_RATE), ACTOR, "its effects were lost");
    }

    /** Erases the content of the latest published events that have no delivery. The operation log is the fact. */
    void erase(long limit) {
        attempt(() -> {
            List<UUID> latest = jdbc.queryForList(LATEST, UUID.class, limit);
            operations.erase(Erasure.ofEvents(latest).afterDelivery(), ACTOR, "a customer has asked for it");
        });
    }

    /** Delivers every other one of the next scheduled events at once, and cancels the rest. The operation log is the fact. */
    void reschedule(long limit) {
        attempt(() -> {
            boolean cancels = false;
            int changed = 0;
            for (ScheduledEvent event : scheduled.find(null, null, Math.toIntExact(limit))) {
                boolean done = cancels
                        ? scheduled.cancel(event.eventId(), ACTOR, "is not wanted any more")
                        : scheduled.deliverNow(event.eventId(), ACTOR, "cannot wait");
                changed += done ? 1 : 0;
                cancels = !cancels;
            }
            log.info("The operator has rescheduled {} events", changed);
        });
    }

    private List<Delivery> dead(long limit) {
        return operations.find(DeliverySelection.all().withStatus(DeliveryStatus.DEAD), Math.toIntExact(limit));
    }

    private static DeliverySelection selection(Delivery delivery) {
        return DeliverySelection.delivery(delivery.event().eventId(), delivery.handlerId());
    }

    private void note(Operation kind, UUID event, String handler) {
        facts.write(new Operated(System.nanoTime(), facts.process(), kind, event, handler));
    }

    private static void attempt(Runnable command) {
        try {
            command.run();
        } catch (OutboxException | DataAccessException e) {
            log.info("The operator gives up: {}", e.toString());
        }
    }
}
