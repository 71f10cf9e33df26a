package dev.outbox.internal.claim;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.SettlementStore.Settlement;
import dev.outbox.internal.claim.SettlementStore.Unfinished;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.ClaimedEvent;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** First deliveries as a worker makes them, one step after the other. */
public final class ClaimSteps {

    public static final String CLAIM = ClaimStore.CLAIM;
    public static final String QUEUE = SettlementStore.QUEUE;
    public static final String SHRINK_CLAIM = SettlementStore.SHRINK_CLAIM;
    public static final String FIND_LOCKED = SettlementStore.FIND_LOCKED;

    private static final Duration LEASE = Duration.ofMinutes(1);

    private final ClaimStore claims;
    private final LeaseStore leases;
    private final SettlementStore settlements;

    public ClaimSteps(TestOutbox outbox) {
        this.claims = new ClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
        this.leases = new LeaseStore(outbox.dataSource(), OutboxSchema.DEFAULT);
        this.settlements = new SettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    }

    static List<String> aggregates(ClaimStore.Round round) {
        return round.claim().events().stream()
                .map((event) -> event.envelope().aggregateId())
                .toList();
    }

    static List<Long> ids(ClaimStore.Claim claim) {
        return claim.events().stream().map((event) -> event.envelope().id()).toList();
    }

    /** What a claim found. */
    public static final class Found {

        private final ClaimStore.Round round;

        private Found(ClaimStore.Round round) {
            this.round = round;
        }

        public List<ClaimedEvent> events() {
            return round.events();
        }

        public HandlerRegistry.Version registry() {
            return round.registry();
        }

        public Optional<Duration> untilNextDelivery() {
            return round.untilNextDelivery();
        }

        public OffsetDateTime dueFrom() {
            return round.dueFrom();
        }
    }

    /** Requests events from the low-water mark on, however many ids they are apart. */
    static ClaimStore.Request request(
            String stream, String worker, int batchSize, Duration lease, ActiveHandlers handlers) {
        return request(stream, worker, batchSize, lease, handlers, OffsetDateTime.MIN);
    }

    private static ClaimStore.Request request(
            String stream,
            String worker,
            int batchSize,
            Duration lease,
            ActiveHandlers handlers,
            OffsetDateTime dueFrom) {
        return new ClaimStore.Request(
                stream,
                worker,
                batchSize,
                lease,
                handlers,
                ScanLimit.Reach.EVERYTHING,
                ClaimStore.Window.ADVANCED,
                dueFrom,
                Set.of());
    }

    public Found claim(int batchSize, ActiveHandlers handlers) throws SQLException {
        return claim(batchSize, handlers, OffsetDateTime.MIN);
    }

    public Found claim(int batchSize, ActiveHandlers handlers, OffsetDateTime dueFrom) throws SQLException {
        return new Found(claims.claim(request("default", "w", batchSize, LEASE, handlers, dueFrom))
                .orElseThrow());
    }

    public boolean confirm(Found found) throws SQLException {
        return leases.confirm(found.round.claim().key());
    }

    public boolean renew(Found found) throws SQLException {
        return leases.renew(found.round.claim().key(), LEASE);
    }

    /** Ends a claim whose events were handled; returns whether it was still held. */
    public boolean settle(Found found) throws SQLException {
        ClaimStore.Claim claim = found.round.claim();
        return settle(new Settlement(claim, ids(claim), List.of(), true, false));
    }

    /** Ends a claim, and queues events for handlers; returns whether it was still held. */
    public boolean queue(Found found, Map<EventEnvelope, String> handlers, DeliveryOutcome outcome)
            throws SQLException {
        List<Unfinished> queued = handlers.entrySet().stream()
                .map((one) -> new Unfinished(one.getKey().id(), one.getValue(), outcome))
                .toList();
        return settle(new Settlement(found.round.claim(), List.of(), queued, true, false));
    }

    private boolean settle(Settlement settlement) throws SQLException {
        return settlements.settle(settlement).claimHeld();
    }
}
