package dev.outbox.chaos.history;

import dev.outbox.chaos.history.FinalState.Booking;
import dev.outbox.chaos.history.FinalState.LedgerRow;
import dev.outbox.chaos.history.FinalState.Place;
import dev.outbox.chaos.history.FinalState.ScheduledEvent;
import dev.outbox.chaos.history.FinalState.StoredDelivery;
import dev.outbox.chaos.history.FinalState.StoredEvent;
import dev.outbox.chaos.history.StateChange.Kind;
import dev.outbox.chaos.history.StateChange.State;
import dev.outbox.chaos.history.StateChange.Subject;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/** Reads the final state of a run from its database, in one snapshot. */
public final class FinalStateReader {

    private static final String EVENTS = """
            SELECT CASE WHEN o.published_at IS NULL THEN 'QUEUE' ELSE 'HISTORY' END,
                   o.event_id, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.status, o.payload::text, o.headers::text
              FROM events.outbox o
             UNION ALL
            SELECT 'ARCHIVE',
                   a.outbox_event_id, a.aggregate_type, a.aggregate_id, a.aggregate_seq, 'PUBLISHED', a.payload::text, a.headers::text
              FROM audit.events a
            """;

    private static final String SCHEDULED = """
            SELECT s.event_id, (extract(epoch FROM s.due_at) * 1000000)::bigint, s.due_at <= clock_timestamp()
              FROM events.outbox_scheduled s
            """;

    private static final String DELIVERIES = """
            SELECT o.event_id, d.handler_id, d.status
              FROM events.outbox_delivery d
              JOIN events.outbox o ON o.id = d.outbox_id
            """;

    private static final String LEDGER =
            "SELECT l.event_id, l.aggregate_id, l.sequence, l.transaction_id::text FROM chaos.ledger l";

    private static final String BOOKINGS = "SELECT b.event_id, b.handler FROM chaos.booking b";

    private static final String CHANGES = """
            SELECT c.id, (extract(epoch FROM c.at) * 1000000)::bigint, c.txid::text::bigint, c.application, c.kind, c.outbox_id,
                   c.event_id, c.handler, c.replay, c.old_status, c.new_status, c.attempts, c.retries, c.crashes, c.old_attempts,
                   c.old_retries, c.error_code, c.old_token, c.token, (extract(epoch FROM c.old_locked_until) * 1000000)::bigint,
                   (extract(epoch FROM c.locked_until) * 1000000)::bigint, c.event_ids
              FROM chaos.state_change c
             ORDER BY c.id
            """;

    private static final String CLOCK = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

    private static final ObjectReader HEADERS =
            JsonMapper.builder().build().readerFor(new TypeReference<Map<String, String>>() {});

    private final Connection connection;
    /** One copy of equal states, of which a history has millions. */
    private final Map<State, State> states = new HashMap<>();

    private FinalStateReader(Connection connection) {
        this.connection = connection;
    }

    /** Reads the final state. Texts that are equal become one. */
    static FinalState read(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            FinalState state = new FinalStateReader(connection).read();
            connection.rollback();
            return state;
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot read the final state of the run", e);
        }
    }

    private FinalState read() throws SQLException {
        long before = System.nanoTime();
        long micros = rows(CLOCK, (row) -> row.getLong(1)).get(0);
        long clock = before / 2 + System.nanoTime() / 2 - micros * 1000;
        return new FinalState(
                rows(EVENTS, this::event),
                rows(
                        SCHEDULED,
                        (row) -> new ScheduledEvent(
                                row.getObject(1, UUID.class), row.getLong(2) * 1000 + clock, row.getBoolean(3))),
                rows(DELIVERIES, this::delivery),
                exists("chaos.ledger") ? rows(LEDGER, this::ledgerRow) : null,
                exists("chaos.booking") ? rows(BOOKINGS, this::booking) : null,
                exists("chaos.state_change") ? rows(CHANGES, (row) -> change(row, clock)) : List.of(),
                clock);
    }

    private boolean exists(String table) throws SQLException {
        return rows("SELECT to_regclass('" + table + "') IS NOT NULL", (row) -> row.getBoolean(1))
                .get(0);
    }

    private StoredEvent event(ResultSet row) throws SQLException {
        String headers = row.getString(8);
        return new StoredEvent(
                Place.valueOf(row.getString(1)),
                row.getObject(2, UUID.class),
                row.getString(3).intern(),
                row.getString(4).intern(),
                row.getLong(5),
                row.getString(6).intern(),
                row.getString(7).intern(),
                "{}".equals(headers) ? Map.of() : HEADERS.readValue(headers));
    }

    private StoredDelivery delivery(ResultSet row) throws SQLException {
        return new StoredDelivery(
                row.getObject(1, UUID.class),
                row.getString(2).intern(),
                row.getString(3).intern());
    }

    private LedgerRow ledgerRow(ResultSet row) throws SQLException {
        return new LedgerRow(
                row.getObject(1, UUID.class),
                row.getString(2).intern(),
                row.getLong(3),
                row.getString(4).intern());
    }

    private Booking booking(ResultSet row) throws SQLException {
        return new Booking(row.getObject(1, UUID.class), row.getString(2).intern());
    }

    private StateChange change(ResultSet row, long offset) throws SQLException {
        UUID eventId = row.getObject(7, UUID.class);
        Array claimed = row.getArray(22);
        return new StateChange(
                row.getLong(1),
                row.getLong(2) * 1000 + offset,
                row.getLong(3),
                row.getString(4).intern(),
                Kind.valueOf(row.getString(5)),
                new Subject(row.getLong(6), eventId, textOrNull(row.getString(8)), row.getBoolean(9)),
                state(
                        row.getString(10),
                        new int[] {row.getInt(15), row.getInt(16), 0},
                        null,
                        row.getObject(18, UUID.class),
                        nanos(row, 20, offset)),
                state(
                        row.getString(11),
                        new int[] {row.getInt(12), row.getInt(13), row.getInt(14)},
                        row.getString(17),
                        row.getObject(19, UUID.class),
                        nanos(row, 21, offset)),
                claimed == null ? null : Set.of((Long[]) claimed.getArray()));
    }

    private static @Nullable Long nanos(ResultSet row, int column, long offset) throws SQLException {
        long micros = row.getLong(column);
        return row.wasNull() ? null : micros * 1000 + offset;
    }

    private State state(
            String status, int[] counts, @Nullable String code, @Nullable UUID token, @Nullable Long lockedUntil) {
        return status.equals("NONE")
                ? State.NONE
                : pooled(new State(
                        status.intern(), counts[0], counts[1], counts[2], textOrNull(code), token, lockedUntil));
    }

    private State pooled(State state) {
        return state.token() == null ? states.computeIfAbsent(state, (same) -> same) : state;
    }

    private @Nullable String textOrNull(@Nullable String text) {
        return text == null ? null : text.intern();
    }

    /** Reads one row. */
    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private <T> List<T> rows(String sql, RowReader<T> reader) throws SQLException {
        List<T> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(5000);
            try (ResultSet row = statement.executeQuery(sql)) {
                while (row.next()) {
                    rows.add(reader.read(row));
                }
            }
        }
        return rows;
    }
}
