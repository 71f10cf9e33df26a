package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Server;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Fills this library's tables with more rows than could be published in reasonable time, and queries them. */
final class Tables {

    private static final int CHUNK = 1_000_000;

    private static final String COUNT_SEQUENCES = """
            INSERT INTO events.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
            SELECT 'account', (n % ?)::text, count(*)
              FROM generate_series(?::bigint, ?::bigint) n
             GROUP BY 2
            ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
               SET last_seq = a.last_seq + excluded.last_seq
            """;

    private static final String ADD_PENDING = """
            INSERT INTO events.outbox_unpublished (aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
            SELECT 'account', (n % ?)::text, n / ? + 1, 'AccountChanged',
                   jsonb_build_object('number', n, 'key', n % ?, 'seq', n / ? + 1, 'note', repeat('0123456789', 24))
              FROM generate_series(?::bigint, ?::bigint) n
             ORDER BY n
            """;

    /** Spreads the events evenly over the 30 days before the youngest age. */
    private static final String ADD_HISTORY = """
            INSERT INTO events.outbox_published
                   (id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, occurred_at, status,
                    dispatched_at, published_at)
            SELECT nextval('events.outbox_id_seq'), 'history', (n % ?)::text, n / ? + 1, 'AccountChanged',
                   jsonb_build_object('number', n, 'key', n % ?, 'seq', n / ? + 1, 'note', repeat('0123456789', 24)),
                   t.at, 'PUBLISHED', t.at, t.at
              FROM generate_series(?::bigint, ?::bigint) n
             CROSS JOIN LATERAL (SELECT now() - ? * interval '1 day'
                                      - (? - n)::double precision / ? * interval '30 days' AS at) t
             ORDER BY n
            """;

    private static final String KNOW_ACCOUNTS = """
            INSERT INTO events.outbox_aggregate (aggregate_type, aggregate_id, last_seq)
            SELECT 'account', n::text, 0
              FROM generate_series(0, ? - 1) n
            """;

    private static final String COUNT_ACCOUNTS =
            "INSERT INTO events.outbox_aggregate_type (aggregate_type, counted) VALUES ('account', true)";

    /** The first one is due in {@code first} seconds, each other one {@code apart} seconds after the one before. */
    private static final String SCHEDULE = """
            INSERT INTO events.outbox_scheduled
                   (event_id, stream, aggregate_type, aggregate_id, event_type, schema_version, payload, headers, due_at)
            SELECT gen_random_uuid(), 'default', 'account', (n % ?)::text, 'AccountChanged', 1,
                   jsonb_build_object('number', n, 'key', n % ?, 'seq', n / ? + 1, 'note', repeat('0123456789', 24)),
                   '{}', now() + (? + n * ?) * interval '1 second'
              FROM generate_series(0, ?::bigint - 1) n
            """;

    private static final double SECONDS_TO_START = 10;
    private static final double DAY = 86_400;

    private static final String SEQUENCES = """
            SELECT (payload ->> 'number')::int, aggregate_seq
              FROM events.outbox
             WHERE aggregate_type = 'account'
            """;

    private static final String ADD_RETRIED = """
            INSERT INTO events.outbox_unpublished (aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
            SELECT 'other', (n % ?)::text, n / ? + 1, 'Other', '{"number": 1}'
              FROM generate_series(0, ?::bigint - 1) n
             ORDER BY n
            """;

    private static final String DISPATCH = """
            UPDATE events.outbox_unpublished
               SET status = 'RETRYING', dispatched_at = now()
             WHERE event_type = 'Other'
            """;

    private static final String ADD_DELIVERIES = """
            INSERT INTO events.outbox_delivery
                   (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status,
                    retry_count, next_retry_at)
            SELECT o.id, h.id, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type, 'OPEN',
                   CASE WHEN ? = 1 THEN 1 ELSE 0 END, now()
              FROM events.outbox_unpublished o
             CROSS JOIN unnest(string_to_array(?, ',')) AS h (id)
             WHERE o.event_type = 'Other'
             ORDER BY o.id
            """;

    private static final String ADD_LANES = """
            INSERT INTO events.outbox_lane (aggregate_type, aggregate_id, handler_id, stream, first_seq, due_at)
            SELECT d.aggregate_type, d.aggregate_id, d.handler_id, d.stream, d.aggregate_seq, d.next_retry_at
              FROM events.outbox_delivery d
             WHERE d.aggregate_seq = 1
            """;

    /** Retries of 500 deliveries each, a minute apart. */
    private static final String ADD_OPERATIONS = """
            INSERT INTO events.outbox_operation
                   (performed_at, performed_by, action, reason, stream, handler_id, event_id, previous_status,
                    last_error_code, last_error)
            SELECT date_trunc('minute', now()) - (? - n) / 500 * interval '1 minute', 'ann', 'RETRY',
                   'ticket ' || n / 500, 'default', 'handler', gen_random_uuid(), 'DEAD', 'IOException', 'refused'
              FROM generate_series(0, ?::bigint - 1) n
             ORDER BY n
            """;

    private Tables() {}

    /** Adds entries to the operation log. */
    static void addOperations(Server server, long entries) throws SQLException {
        try (Connection connection = server.connect();
                PreparedStatement add = connection.prepareStatement(ADD_OPERATIONS)) {
            bind(add, entries, entries);
            add.executeUpdate();
        }
    }

    /** Adds due lanes of each handler: of one delivery that has failed once, or of many that have not been attempted. */
    static void addDueLanes(Server server, List<String> handlers, int lanes, int deliveries) throws SQLException {
        try (Connection connection = server.connect();
                PreparedStatement events = connection.prepareStatement(ADD_RETRIED);
                PreparedStatement dispatch = connection.prepareStatement(DISPATCH);
                PreparedStatement add = connection.prepareStatement(ADD_DELIVERIES);
                PreparedStatement rows = connection.prepareStatement(ADD_LANES)) {
            bind(events, lanes, lanes, (long) lanes * deliveries);
            events.executeUpdate();
            dispatch.executeUpdate();
            add.setInt(1, deliveries);
            add.setString(2, String.join(",", handlers));
            add.executeUpdate();
            rows.executeUpdate();
        }
    }

    /** Adds pending events of accounts in turn. */
    static void addPending(Server server, long events, int keys) throws SQLException {
        try (Connection connection = server.connect();
                PreparedStatement count = connection.prepareStatement(COUNT_SEQUENCES);
                PreparedStatement add = connection.prepareStatement(ADD_PENDING)) {
            for (long first = 0; first < events; first += CHUNK) {
                long last = Math.min(events, first + CHUNK) - 1;
                bind(count, keys, first, last);
                count.executeUpdate();
                bind(add, keys, keys, keys, keys, first, last);
                add.executeUpdate();
            }
        }
    }

    /** Adds 30 days of history, whose youngest event has the given age in days. */
    static void addHistory(Server server, long events, int keys, int youngestDays) throws SQLException {
        try (Connection connection = server.connect();
                PreparedStatement add = connection.prepareStatement(ADD_HISTORY)) {
            for (long first = 0; first < events; first += CHUNK) {
                long last = Math.min(events, first + CHUNK) - 1;
                bind(add, keys, keys, keys, keys, first, last, youngestDays, events, events);
                add.executeUpdate();
            }
        }
    }

    /** Schedules events of accounts in turn, a millisecond apart, from the next day on. */
    static void addScheduled(Server server, long events, int keys) throws SQLException {
        try (Connection connection = server.connect();
                PreparedStatement accounts = connection.prepareStatement(KNOW_ACCOUNTS);
                PreparedStatement counted = connection.prepareStatement(COUNT_ACCOUNTS)) {
            bind(accounts, keys);
            accounts.executeUpdate();
            counted.executeUpdate();
        }
        schedule(server, events, keys, DAY, 0.001);
    }

    /** Schedules events of accounts in turn, so many in a second, from a few seconds on. */
    static void addDue(Server server, long events, int keys, int rate) throws SQLException {
        schedule(server, events, keys, SECONDS_TO_START, 1.0 / rate);
    }

    private static void schedule(Server server, long events, int keys, double first, double apart) throws SQLException {
        try (Connection connection = server.connect();
                PreparedStatement add = connection.prepareStatement(SCHEDULE)) {
            bind(add, keys, keys, keys);
            add.setDouble(4, first);
            add.setDouble(5, apart);
            add.setLong(6, events);
            add.executeUpdate();
        }
    }

    private static void bind(PreparedStatement statement, long... values) throws SQLException {
        for (int value = 0; value < values.length; value++) {
            statement.setLong(value + 1, values[value]);
        }
    }

    /** Returns the sequences of events by their numbers. */
    static Map<Integer, Long> sequences(Server server) throws SQLException {
        Map<Integer, Long> sequences = new HashMap<>();
        try (Connection connection = server.connect();
                PreparedStatement statement = connection.prepareStatement(SEQUENCES);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                sequences.put(row.getInt(1), row.getLong(2));
            }
        }
        return sequences;
    }
}
