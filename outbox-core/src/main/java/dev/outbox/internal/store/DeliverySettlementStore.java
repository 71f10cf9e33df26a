package dev.outbox.internal.store;

import dev.outbox.internal.delivery.AttemptedDelivery;
import dev.outbox.internal.delivery.DeliveryKey;
import dev.outbox.internal.delivery.DeliveryOutcome;
import dev.outbox.internal.delivery.DueDelivery;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.failure.Refusal;
import dev.outbox.internal.fault.FaultPoint;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes, reschedules and releases claimed deliveries, fenced by the token of their claim. */
public final class DeliverySettlementStore {

    private static final Logger log = LoggerFactory.getLogger(DeliverySettlementStore.class);

    /** Relies on outbox_delivery_pk. */
    static final String REMOVE = LaneSql.held("SUCCEEDED") + """
            DELETE FROM {schema}.outbox_delivery d
             USING held
             WHERE d.outbox_id = held.outbox_id
               AND d.handler_id = held.handler_id
            RETURNING d.outbox_id, d.handler_id
            """;

    /** Relies on outbox_delivery_pk. */
    static final String RELEASE = LaneSql.held("UNTRIED") + """
            UPDATE {schema}.outbox_delivery d
               SET locked_by = NULL,
                   lock_token = NULL,
                   locked_until = NULL,
                   attempt_count = d.attempt_count - 1
              FROM held
             WHERE d.outbox_id = held.outbox_id
               AND d.handler_id = held.handler_id
            """;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Duration SHORT_WAIT = Duration.ofMillis(20);

    private final DataSource dataSource;
    private final Pipeline settle;
    private final Pipeline settleQuickly;

    public DeliverySettlementStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.settle = pipeline(schema, LONGEST_WAIT);
        this.settleQuickly = pipeline(schema, SHORT_WAIT);
    }

    private static Pipeline pipeline(OutboxSchema schema, Duration lockTimeout) {
        return new Pipeline(
                schema,
                lockTimeout,
                LaneSql.LOCK_EVENTS,
                LaneSql.LOCK_LANES,
                REMOVE,
                DeliverySql.RESCHEDULE.replace("{kinds}", "'DEAD'"),
                DeliverySql.RESCHEDULE.replace("{kinds}", "'FAILED', 'DEFERRED', 'BLOCKED'"),
                RELEASE,
                LaneSql.KEEP_HEAD,
                LaneSql.PROMOTE,
                LaneSql.COMPLETE);
    }

    /** Result of a settlement: the deliveries written and left over, and the retries of each event that is complete. */
    public record Settled(Set<DeliveryKey> written, Set<DeliveryKey> leftOver, List<Integer> retriesOfCompleted) {}

    /**
     * Writes outcomes, releases untried deliveries, promotes the next of each lane, and completes events, in one transaction and one
     * round trip. If a row stays locked for a second, writes the others one by one.
     */
    public Settled settle(List<AttemptedDelivery> attempts, List<DueDelivery> untried, List<DueDelivery> next)
            throws SQLException {
        try {
            return run(settle, attempts, untried, next);
        } catch (SQLException ex) {
            if (!Pipeline.isLocked(ex)) {
                throw ex;
            }
            return settleUnlocked(attempts, untried);
        }
    }

    /** As {@link #settle(List, List, List)}, where nothing is attempted next. */
    public Settled settle(List<AttemptedDelivery> attempts, List<DueDelivery> untried) throws SQLException {
        return settle(attempts, untried, List.of());
    }

    /**
     * Writes outcomes one by one. Leaves over the deliveries of which another session holds a row locked, and those behind them in their
     * lanes. An outcome that PostgreSQL refuses becomes a dead letter.
     */
    public Settled settleUnlocked(List<AttemptedDelivery> attempts, List<DueDelivery> untried) throws SQLException {
        Set<Lane> stopped = new HashSet<>();
        Settled total = new Settled(new HashSet<>(), new HashSet<>(), new ArrayList<>());
        for (AttemptedDelivery attempt : attempts) {
            settleAlone(attempt.delivery(), List.of(attempt), stopped, total);
            FaultPoint.BETWEEN_REDELIVERY_SETTLES.reached();
        }
        for (DueDelivery delivery : untried) {
            settleAlone(delivery, List.of(), stopped, total);
        }
        return total;
    }

    private void settleAlone(DueDelivery delivery, List<AttemptedDelivery> attempt, Set<Lane> stopped, Settled total)
            throws SQLException {
        Settled settled = stopped.contains(Lane.of(delivery)) ? null : writeAlone(delivery, attempt);
        if (settled == null) {
            stopped.add(Lane.of(delivery));
            total.leftOver().add(DeliveryKey.of(delivery));
        } else {
            total.written().addAll(settled.written());
            total.retriesOfCompleted().addAll(settled.retriesOfCompleted());
        }
    }

    /** Returns null if a row is locked, or PostgreSQL refuses even a dead letter. */
    private @Nullable Settled writeAlone(DueDelivery delivery, List<AttemptedDelivery> attempt) throws SQLException {
        try {
            return run(settleQuickly, attempt, attempt.isEmpty() ? List.of(delivery) : List.of(), List.of());
        } catch (SQLException | RuntimeException | Error ex) {
            boolean refused = Refusal.isRefusal(ex);
            if (!refused && !(ex instanceof SQLException sql && Pipeline.isLocked(sql))) {
                throw ex;
            }
            boolean mayDie = !attempt.isEmpty()
                    && !Refusal.CODE.equals(attempt.get(0).outcome().code());
            return refused && mayDie ? deadLetter(delivery, ex) : null;
        }
    }

    private @Nullable Settled deadLetter(DueDelivery delivery, Throwable refusal) throws SQLException {
        log.error(
                "PostgreSQL refused to store the outcome of {} for {}; it is dead until an operator retries or skips it",
                delivery.envelope(),
                delivery.handlerId(),
                Redaction.loggable(refusal));
        Failure failure = Refusal.failure(refusal);
        return writeAlone(delivery, List.of(new AttemptedDelivery(delivery, new DeliveryOutcome.Dead(failure, false))));
    }

    private Settled run(
            Pipeline pipeline, List<AttemptedDelivery> attempts, List<DueDelivery> untried, List<DueDelivery> next)
            throws SQLException {
        List<DueDelivery> attempted =
                attempts.stream().map(AttemptedDelivery::delivery).toList();
        List<DueDelivery> all =
                Stream.of(attempted, untried, next).flatMap(List::stream).toList();
        List<Lane> lanes = all.stream().map(Lane::of).toList();
        Stream<String> kinds = Stream.of(
                        attempts.stream().map((one) -> one.outcome().kind()),
                        untried.stream().map((one) -> "UNTRIED"),
                        next.stream().map((one) -> "NEXT"))
                .flatMap(Function.identity());
        return pipeline.run(
                dataSource,
                (parameters) -> Lane.bind(DeliveryClaimStore.bindHeld(parameters, all), lanes)
                        .setLongs("events", attempted, (one) -> one.envelope().id())
                        .set("kinds", kinds.toArray(String[]::new))
                        .setLongs(
                                "delays",
                                attempts,
                                (one) -> one.outcome().delay().toMillis())
                        .setTexts("codes", attempts, (one) -> one.outcome().code())
                        .setTexts("errors", attempts, (one) -> one.outcome().message()),
                DeliverySettlementStore::readSettled);
    }

    private static Settled readSettled(Pipeline.Results results) throws SQLException {
        results.skip(2);
        Set<DeliveryKey> written = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            ResultSet row = results.rows();
            while (row.next()) {
                written.add(new DeliveryKey(row.getLong(1), row.getString(2)));
            }
        }
        results.skip(3);
        List<Integer> retries = new ArrayList<>();
        ResultSet done = results.rows();
        while (done.next()) {
            retries.add(done.getInt(2));
        }
        return new Settled(written, Set.of(), retries);
    }
}
