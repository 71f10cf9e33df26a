package dev.outbox.operations.internal.erase;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.claim.FirstDeliveries;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Count;
import dev.outbox.operations.Erasure;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Finds and erases events, a bounded number in each durable transaction. */
final class EraseStore {

    private static final int WINDOW = 10_000;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(4);

    /** For a window or a batch of events: payloads may be large, and disks slow. */
    private static final Duration LONGEST_BATCH = Duration.ofMinutes(5);

    static final String PAGE = sql("page");
    static final String ERASE = sql("erase");

    private final DataSource dataSource;
    private final Pipeline undelivered;
    private final Pipeline cancel;
    private final Pipeline page;
    private final Pipeline archivedPage;
    private final Pipeline erase;
    private final String eraseArchived;

    EraseStore(DataSource dataSource, OutboxSchema schema, OutboxSchema archive) {
        this.dataSource = dataSource;
        this.undelivered = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, sql("undelivered"));
        this.cancel =
                Pipeline.durable(schema, LONGEST_WAIT, Pipeline.PLAN_WITH_VALUES, sql("lock counters"), sql("cancel"));
        this.page = page(schema, "{schema}.outbox", "event_id");
        this.archivedPage = page(schema, archive.quoted() + ".events", "outbox_event_id");
        this.eraseArchived = sql("erase archived").replace("{archive}", archive.quoted());
        this.erase = Pipeline.durable(
                        schema,
                        LONGEST_WAIT,
                        FirstDeliveries.withdrawing(
                                List.of(sql("lock history")), ERASE, eraseArchived, sql("erase errors")))
                .lasting(LONGEST_BATCH);
    }

    private static String sql(String result) {
        String statement = NamedSql.of(EraseStore.class, "erase.sql", result);
        return statement.contains("{scheduled}") ? statement.replace("{scheduled}", sql("scheduled")) : statement;
    }

    private static Pipeline page(OutboxSchema schema, String table, String eventId) {
        return new Pipeline(
                        schema,
                        Pipeline.IN_INDEX_ORDER,
                        PAGE.replace("{table}", table).replace("{event_id}", eventId))
                .lasting(LONGEST_BATCH);
    }

    /** How many events were erased, and how many were left because they are not delivered. */
    record Counts(long erased, long left) {

        static final Counts NONE = new Counts(0, 0);

        Counts plus(Counts more) {
            return new Counts(erased + more.erased, left + more.left);
        }
    }

    /** Events that are in the queue or have a delivery, and those that are scheduled for later. */
    record Undelivered(Count open, Count scheduled) {}

    /** Events of a window, and its last id; {@code null} if no window follows. */
    record Page(@Nullable Long lastId, List<UUID> eventIds) {}

    /** Counts events that are not delivered. */
    Undelivered count(Erasure erasure) throws SQLException {
        return undelivered.run(dataSource, (parameters) -> bind(parameters, erasure, Count.MOST), (results) -> {
            ResultSet row = results.row();
            return new Undelivered(Count.upTo(row.getLong(1), Count.MOST), Count.upTo(row.getLong(2), Count.MOST));
        });
    }

    /** Cancels a batch of scheduled events, and returns how many. */
    int cancel(Erasure erasure, int limit, AuditInfo audit) throws SQLException {
        return cancel.run(
                dataSource,
                (parameters) -> bind(parameters, erasure, limit)
                        .set("actor", audit.actor())
                        .set("reason", audit.reason())
                        .set("command", audit.command()),
                Pipeline.Results::updated);
    }

    private static NamedSql.Parameters bind(NamedSql.Parameters parameters, Erasure erasure, int most)
            throws SQLException {
        String[] eventIds = erasure.eventIds().stream().map(UUID::toString).toArray(String[]::new);
        return parameters
                .set("event_ids", erasure.aggregateId() == null ? eventIds : null)
                .set("aggregate_type", erasure.aggregateType())
                .set("aggregate_id", erasure.aggregateId())
                .set("most", most);
    }

    /** Finds events of an aggregate in the outbox, or in the archive, that are not erased. */
    Page find(Erasure erasure, boolean archived, long after) throws SQLException {
        return (archived ? archivedPage : page)
                .run(
                        dataSource,
                        (parameters) -> parameters
                                .set("aggregate_type", erasure.aggregateType())
                                .set("aggregate_id", erasure.aggregateId())
                                .set("after", after)
                                .set("window", WINDOW),
                        (results) -> {
                            ResultSet row = results.row();
                            Array ids = row.getArray(2);
                            return new Page(
                                    row.getObject(1, Long.class),
                                    ids == null
                                            ? List.of()
                                            : Stream.of((String[]) ids.getArray())
                                                    .map(UUID::fromString)
                                                    .toList());
                        });
    }

    /** Erases delivered events, after it withdrew those that await their first delivery, if that is a command too. */
    Counts erase(List<UUID> eventIds, @Nullable Long withdrawal, AuditInfo audit) throws SQLException {
        return erase.run(
                dataSource,
                (parameters) -> parameters
                        .setTexts("event_ids", eventIds, UUID::toString)
                        .set("withdraw", withdrawal != null)
                        .set("withdraw_command", withdrawal)
                        .set("actor", audit.actor())
                        .set("reason", audit.reason())
                        .set("command", audit.command()),
                (results) -> {
                    ResultSet outbox = results.row(ERASE);
                    long erased = outbox.getLong(1);
                    long left = outbox.getLong(2);
                    return new Counts(erased + results.row(eraseArchived).getLong(1), left);
                });
    }
}
