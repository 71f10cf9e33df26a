package dev.outbox.internal.sql;

import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Redaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Statements of one transaction in one round trip: the driver sends them all, and the {@code COMMIT}, before it reads the first result, so
 * that a suspended client holds no lock. It commits asynchronously unless it is {@linkplain #durable durable}: a lost commit only costs a
 * redelivery. The server ends a statement after 12 s, and the client waits 15 s for an answer, unless the pipeline is {@linkplain #lasting
 * allowed} more. If only a part of it arrives, the server ends the transaction when the client gives up.
 */
public final class Pipeline {

    /** Each statement must see what was committed before it began: statements after a lock rely on it. */
    private static final String BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

    /**
     * No statement should come near the timeouts; a shorter one of the role must not keep outcomes from being written. A network that fails
     * in the middle of the messages leaves a transaction that waits for the rest, with its locks, which no other timeout ends: PostgreSQL 17
     * and later have {@code transaction_timeout}, whose timer starts anew after zero; earlier ones ask whether the client is still there.
     * Every statement has an index that serves it whatever the tables hold, so it is planned once, without sequential scans: statistics of
     * an empty queue would make the planner read the whole table. {@code outbox.engine} spares the trigger that protects unfinished events
     * from SQL by hand.
     */
    private static final String GUARD = """
            SELECT set_config('synchronous_commit', {synchronous_commit}, true),
                   set_config('lock_timeout', '{lock_timeout}', true),
                   set_config('statement_timeout', '{statement_timeout}', true),
                   CASE WHEN current_setting('transaction_timeout', true) IS NULL THEN {ask client}
                        WHEN current_setting('transaction_timeout') = '0'
                        THEN set_config('transaction_timeout', '{transaction_timeout}', true)
                        ELSE set_config('transaction_timeout', '0', true) || set_config('transaction_timeout', '{transaction_timeout}', true) END,
                   set_config('idle_in_transaction_session_timeout', '10s', true),
                   set_config('outbox.engine', 'on', true),
                   set_config('jit', 'off', true),
                   set_config('plan_cache_mode', 'force_generic_plan', true),
                   set_config('enable_seqscan', 'off', true)
            """;

    /** Precedes a statement that takes the first rows of a long index: a bitmap scan would read and sort all that match. */
    public static final String IN_INDEX_ORDER = "SELECT set_config('enable_bitmapscan', 'off', true)";

    /** For a selection with optional criteria, which no index may serve: it is planned with its values, and ends after 5 s. */
    public static final String PLAN_WITH_VALUES = """
            SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
                   set_config('statement_timeout', '5s', true)
            """;

    /** Precedes statements that show the state of the outbox: each takes the first rows of an index, and all end after 5 s. */
    public static final String INSPECT = """
            SELECT set_config('enable_bitmapscan', 'off', true),
                   set_config('statement_timeout', '5s', true)
            """;

    /** Only Amazon Aurora has this function. It keeps UNLOGGED tables through a crash that loses asynchronous commits. */
    static final String KEEPS_UNLOGGED_TABLES = "to_regprocedure('aurora_version()') IS NOT NULL";

    /** A lost commit is harmless only if the crash ends the incarnation, which is a row of an UNLOGGED table. */
    private static final String ASYNCHRONOUS = """
            CASE WHEN NOT {kept} THEN 'off'
                 WHEN current_setting('synchronous_commit') = 'off' THEN 'on'
                 ELSE current_setting('synchronous_commit') END""".replace("{kept}", '(' + KEEPS_UNLOGGED_TABLES + ')');

    private static final String AS_THE_SESSION = "current_setting('synchronous_commit')";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /** For a lock. Shorter than the statement timeout: a lock timeout says what a statement waited for. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private static final Duration LONGEST_STATEMENT = Duration.ofSeconds(12);
    private static final Duration LONGEST_TRANSMISSION = NetworkTimeout.DEFAULT.minus(LONGEST_STATEMENT);

    private final OutboxSchema schema;
    private final String synchronousCommit;
    private final Duration lockTimeout;
    private final Duration longest;
    private final List<String> statements;
    private final NamedSql sql;

    /** Sets the parameters of all statements. */
    @FunctionalInterface
    public interface Binder {
        void bind(NamedSql.Parameters parameters) throws SQLException;
    }

    /** Reads the results of the statements. */
    @FunctionalInterface
    public interface Reader<T> {
        T read(Results results) throws SQLException;
    }

    /** Reads a row. */
    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    public Pipeline(OutboxSchema schema, String... statements) {
        this(schema, LONGEST_WAIT, statements);
    }

    /** With its own lock timeout, for statements that meet locks of other sessions. */
    public Pipeline(OutboxSchema schema, Duration lockTimeout, String... statements) {
        this(schema, ASYNCHRONOUS, lockTimeout, LONGEST_STATEMENT, statements);
    }

    /** Commits as durably as the application's own transactions, for writes that no retry would repeat. */
    public static Pipeline durable(OutboxSchema schema, Duration lockTimeout, String... statements) {
        return new Pipeline(schema, AS_THE_SESSION, lockTimeout, LONGEST_STATEMENT, statements);
    }

    /** Returns the same statements, each of which may take the given time instead of 12 s because it touches many rows. */
    public Pipeline lasting(Duration longest) {
        String[] own = statements.stream().skip(2).toArray(String[]::new);
        return new Pipeline(schema, synchronousCommit, lockTimeout, longest, own);
    }

    private Pipeline(
            OutboxSchema schema,
            String synchronousCommit,
            Duration lockTimeout,
            Duration longest,
            String... statements) {
        this.schema = schema;
        this.synchronousCommit = synchronousCommit;
        this.lockTimeout = lockTimeout;
        this.longest = longest;
        String guard = GUARD.replace("{synchronous_commit}", synchronousCommit)
                .replace("{lock_timeout}", lockTimeout.toMillis() + "ms")
                .replace("{statement_timeout}", longest.toMillis() + "ms")
                .replace("{ask client}", NetworkTimeout.OF_SERVER)
                .replace(
                        "{transaction_timeout}",
                        longest.plus(LONGEST_TRANSMISSION).toMillis() + "ms");
        this.statements =
                Stream.concat(Stream.of(BEGIN, guard), Stream.of(statements)).toList();
        if (new HashSet<>(this.statements).size() < this.statements.size()) {
            throw new IllegalArgumentException(
                    "a statement stands twice in a pipeline, which names results by statements");
        }
        this.sql = new NamedSql(schema.render(String.join(";\n", this.statements) + ";\nCOMMIT"));
    }

    /** Runs statements whose results do not matter. */
    public void run(DataSource dataSource, Binder binder) throws SQLException {
        run(dataSource, binder, Results::updated);
    }

    public <T> T run(DataSource dataSource, Binder binder, Reader<T> reader) throws SQLException {
        // Never the connection of the calling thread's transaction: this transaction ends here.
        try (Connection connection = BoundConnection.behindProxy(dataSource).getConnection();
                NetworkTimeout limit = NetworkTimeout.on(connection, longest.plus(LONGEST_TRANSMISSION));
                ManualCommit manual = ManualCommit.suspended(limit.connection())) {
            return run(manual.connection(), binder, reader);
        }
    }

    private <T> T run(Connection connection, Binder binder, Reader<T> reader) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.positional())) {
            NamedSql.Parameters parameters = sql.bind(statement);
            binder.bind(parameters);
            parameters.requireAll();
            Results results = new Results(statement);
            results.next();
            return reader.read(results);
        } catch (SQLException ex) {
            rollback(connection, ex);
            throw Causes.explained(Redaction.of(ex));
        } catch (RuntimeException ex) {
            rollback(connection, ex);
            throw ex;
        } catch (Error ex) {
            // Out of memory, perhaps in the middle of a message: no other statement may read the rest.
            connection.abort(Runnable::run);
            throw ex;
        }
    }

    /** The mode of connections that do not commit by themselves, restored when the transaction is over. */
    private record ManualCommit(Connection connection, boolean isSuspended) implements AutoCloseable {

        static ManualCommit suspended(Connection connection) throws SQLException {
            boolean manual = !connection.getAutoCommit();
            if (manual) {
                connection.setAutoCommit(true);
            }
            return new ManualCommit(connection, manual);
        }

        @Override
        public void close() throws SQLException {
            if (isSuspended && !connection.isClosed()) {
                connection.setAutoCommit(false);
            }
        }
    }

    /** Returns whether a statement gave up waiting for a lock. */
    public static boolean isLocked(SQLException ex) {
        return LOCK_NOT_AVAILABLE.equals(ex.getSQLState());
    }

    private static void rollback(Connection connection, Exception cause) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException ex) {
            cause.addSuppressed(ex);
        }
    }

    /** Results of the statements, each named by the text of its statement, in their order; without a name, that of the last one. */
    public final class Results {

        private final PreparedStatement statement;
        private int position = -1;

        private Results(PreparedStatement statement) {
            this.statement = statement;
        }

        public ResultSet rows() throws SQLException {
            return rows(last());
        }

        public ResultSet rows(String of) throws SQLException {
            stepTo(of);
            ResultSet rows = statement.getResultSet();
            if (rows == null) {
                throw new IllegalStateException("the statement returned no rows to read: " + of);
            }
            return rows;
        }

        /** Returns the result of a statement that returns one row, at this row. */
        public ResultSet row(String of) throws SQLException {
            ResultSet row = rows(of);
            row.next();
            return row;
        }

        public ResultSet row() throws SQLException {
            return row(last());
        }

        public <T> List<T> list(String of, Row<T> reader) throws SQLException {
            List<T> list = new ArrayList<>();
            for (ResultSet row = rows(of); row.next(); ) {
                list.add(reader.read(row));
            }
            return list;
        }

        public <T> List<T> list(Row<T> reader) throws SQLException {
            return list(last(), reader);
        }

        /** Returns values by the first column. */
        public <T> Map<String, T> map(String of, Row<T> reader) throws SQLException {
            Map<String, T> map = new TreeMap<>();
            for (ResultSet row = rows(of); row.next(); ) {
                map.put(row.getString(1), reader.read(row));
            }
            return map;
        }

        public <T> Map<String, T> map(Row<T> reader) throws SQLException {
            return map(last(), reader);
        }

        private String last() {
            return statements.get(statements.size() - 1);
        }

        public Set<Long> ids() throws SQLException {
            return new HashSet<>(list((row) -> row.getLong(1)));
        }

        public int updated() throws SQLException {
            stepTo(last());
            return statement.getUpdateCount();
        }

        private void stepTo(String of) throws SQLException {
            int target = statements.indexOf(of);
            if (target <= position) {
                throw new IllegalStateException("the statement is unknown, or its result was passed: " + of);
            }
            while (position < target) {
                next();
            }
        }

        private void next() throws SQLException {
            if (position++ < 0) {
                statement.execute();
            } else {
                statement.getMoreResults();
            }
        }
    }
}
