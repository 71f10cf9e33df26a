package dev.outbox.internal.store;

import dev.outbox.internal.delivery.AuditInfo;
import dev.outbox.internal.delivery.DeliveryKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Retries and skips deliveries, and records who wanted it and why, in one durable transaction. Takes the locks that everyone takes who
 * changes heads of lanes. What a worker attempts right now, or somebody else holds locked, is left alone.
 */
public final class OperationStore {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Duration SHORT_WAIT = Duration.ofMillis(100);

    /** Somebody else held a lock for too long, or waited for one of ours. */
    private static final Set<String> LOCKED = Set.of("55P03", "40P01");

    private final DataSource dataSource;
    private final Statements statements;
    private final Statements quickStatements;
    private final SuccessorStore successors;

    private record Statements(Pipeline retry, Pipeline skip) {

        static Statements of(OutboxSchema schema, Duration longestWait) {
            return new Statements(
                    Pipeline.durable(
                            schema,
                            longestWait,
                            LaneSql.LOCK_EVENTS,
                            LaneSql.LOCK_LANES,
                            OperationSql.LOCK_STREAM,
                            SuccessorStore.LATER_IN_QUEUE,
                            OperationSql.RETRY,
                            LaneSql.DEMOTE_HEAD,
                            LaneSql.PROMOTE,
                            SuccessorStore.OVERTAKEN,
                            LaneSql.COMPLETE),
                    Pipeline.durable(
                            schema,
                            longestWait,
                            LaneSql.LOCK_EVENTS,
                            LaneSql.LOCK_LANES,
                            OperationSql.SKIP,
                            LaneSql.PROMOTE,
                            LaneSql.COMPLETE));
        }
    }

    /** Creates a store. */
    public OperationStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.statements = Statements.of(schema, LONGEST_WAIT);
        this.quickStatements = Statements.of(schema, SHORT_WAIT);
        this.successors = new SuccessorStore(dataSource, schema);
    }

    /** What was done. */
    public record Done(int affected, int busy, int outOfOrder) {

        /** Nothing was done. */
        public static final Done NOTHING = new Done(0, 0, 0);

        /** Adds what else was done. */
        public Done plus(Done other) {
            return new Done(affected + other.affected, busy + other.busy, outOfOrder + other.outOfOrder);
        }
    }

    @FunctionalInterface
    private interface Step {
        Done run(Statements chosen, List<DeliveryRef> some) throws SQLException;
    }

    /** Puts deliveries back into their lanes as if nothing had failed yet: the lowest of a lane is due at once, the others wait. */
    public Done retry(AuditInfo instruction, List<DeliveryRef> batch) throws SQLException {
        return withoutWaitingLong(batch, (chosen, some) -> retry(chosen.retry(), instruction, some));
    }

    /** Removes deliveries, lets the next of each lane come up, and completes the events that have nothing left to try. */
    public Done skip(AuditInfo instruction, List<DeliveryRef> batch) throws SQLException {
        return withoutWaitingLong(batch, (chosen, some) -> skip(chosen.skip(), instruction, some));
    }

    /** Waits for a lock for a moment; then goes on without whatever it is that somebody else holds locked. */
    private Done withoutWaitingLong(List<DeliveryRef> batch, Step step) throws SQLException {
        try {
            return step.run(statements, batch);
        } catch (SQLException ex) {
            if (!isLocked(ex)) {
                throw ex;
            }
        }
        Done done = Done.NOTHING;
        for (DeliveryRef candidate : batch) {
            done = done.plus(alone(candidate, step));
        }
        return done;
    }

    private Done alone(DeliveryRef candidate, Step step) throws SQLException {
        try {
            return step.run(quickStatements, List.of(candidate));
        } catch (SQLException ex) {
            if (isLocked(ex)) {
                return new Done(0, 1, 0);
            }
            throw ex;
        }
    }

    private static boolean isLocked(SQLException ex) {
        return LOCKED.contains(String.valueOf(ex.getSQLState()));
    }

    private Done retry(Pipeline pipeline, AuditInfo instruction, List<DeliveryRef> batch) throws SQLException {
        Retried retried = pipeline.run(
                dataSource,
                (parameters) -> bind(parameters, instruction, batch).set("stream", batch.get(0).stream()),
                OperationStore::readRetried);
        Map<Lane, Long> ranTo = successors.ranTo(retried.later());
        Touched touched = retried.touched();
        long outOfOrder = batch.stream()
                .filter((one) -> touched.changed().contains(one.key()))
                .filter((one) -> one.aggregateSeq() < ranTo.getOrDefault(Lane.of(one), 0L)
                        || retried.overtaken().contains(one.key()))
                .count();
        return new Done(touched.changed().size(), touched.busy(), (int) outOfOrder);
    }

    private Done skip(Pipeline pipeline, AuditInfo instruction, List<DeliveryRef> batch) throws SQLException {
        Touched touched = pipeline.run(dataSource, (parameters) -> bind(parameters, instruction, batch), (results) -> {
            results.skip(2);
            return Touched.read(results.rows());
        });
        return new Done(touched.changed().size(), touched.busy(), 0);
    }

    private static NamedSql.Parameters bind(
            NamedSql.Parameters parameters, AuditInfo instruction, List<DeliveryRef> batch) throws SQLException {
        return DeliveryRef.bind(parameters, batch)
                .set("actor", instruction.by())
                .set("reason", instruction.reason());
    }

    private static Retried readRetried(Pipeline.Results results) throws SQLException {
        results.skip(3);
        List<SuccessorStore.Later> later = SuccessorStore.Later.read(results.rows());
        Touched touched = Touched.read(results.rows());
        results.skip(2);
        Set<DeliveryKey> overtaken = new HashSet<>();
        ResultSet row = results.rows();
        while (row.next()) {
            overtaken.add(new DeliveryKey(row.getLong(1), row.getString(2)));
        }
        return new Retried(later, touched, overtaken);
    }

    private record Retried(List<SuccessorStore.Later> later, Touched touched, Set<DeliveryKey> overtaken) {}

    private record Touched(Set<DeliveryKey> changed, int busy) {

        static Touched read(ResultSet row) throws SQLException {
            Set<DeliveryKey> changed = new HashSet<>();
            int busy = 0;
            while (row.next()) {
                if (row.getBoolean(3)) {
                    changed.add(new DeliveryKey(row.getLong(1), row.getString(2)));
                } else {
                    busy++;
                }
            }
            return new Touched(changed, busy);
        }
    }
}
