package dev.outbox.benchmarks.arena;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A PostgreSQL with a fresh cluster, in processes of its own, that commits durably. Its data is deleted when it is closed. */
public final class Server implements AutoCloseable {

    /** Settings that are as a careful operator would choose for a small machine, the same for every contestant. */
    private static final Map<String, String> SETTINGS = Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "full_page_writes", "on",
            "autovacuum", "on",
            "max_connections", "200",
            "shared_buffers", "1GB",
            "max_wal_size", "4GB",
            "checkpoint_timeout", "15min");

    private static final List<String> DURABLE = List.of("fsync", "synchronous_commit", "full_page_writes");

    private final EmbeddedPostgres postgres;
    private final Connection connection;
    private final Map<String, String> settings = new TreeMap<>();
    private final ServerProcesses processes;

    /**
     * Starts a server.
     *
     * @param overrides settings that differ from the usual ones
     * @throws IOException if it does not start
     * @throws SQLException if it does not answer
     */
    public Server(Map<String, String> overrides) throws IOException, SQLException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
        Map<String, String> wanted = new TreeMap<>(SETTINGS);
        wanted.putAll(overrides);
        wanted.forEach(builder::setServerConfig);
        this.postgres = builder.start();
        this.connection = connect();
        for (String name : wanted.keySet()) {
            settings.put(name, text("SHOW " + name));
        }
        settings.put("server_version", text("SHOW server_version"));
        settings.put("file system", fileSystem());
        for (String name : DURABLE) {
            if (!"on".equals(settings.get(name))) {
                throw new IllegalStateException(name + " must be on, but is " + settings.get(name));
            }
        }
        this.processes = ServerProcesses.of(number("SELECT pg_backend_pid()"));
    }

    /** On one that lives in memory, durability would cost nothing. */
    private String fileSystem() throws IOException, SQLException {
        return Files.getFileStore(Path.of(text("SHOW data_directory"))).type();
    }

    /**
     * Returns the settings, as the server shows them.
     *
     * @return the settings by name
     */
    public Map<String, String> settings() {
        return settings;
    }

    /**
     * Returns the address of the database.
     *
     * @return a JDBC URL without parameters
     */
    public String url() {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/postgres";
    }

    /**
     * Opens a session of its own.
     *
     * @return the session; the caller closes it
     * @throws SQLException if the server refuses
     */
    public Connection connect() throws SQLException {
        return postgres.getPostgresDatabase().getConnection();
    }

    /**
     * Brings statistics and files to rest, so that a measurement does not begin in the middle of something.
     *
     * @throws SQLException if the server refuses
     */
    public void settle() throws SQLException {
        execute("VACUUM ANALYZE");
        execute("CHECKPOINT");
    }

    /**
     * Runs a statement.
     *
     * @param sql the statement
     * @throws SQLException if the server refuses
     */
    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * Runs a query for one number.
     *
     * @param sql the query
     * @return its result
     * @throws SQLException if the server refuses
     */
    public long number(String sql) throws SQLException {
        return Long.parseLong(text(sql));
    }

    private String text(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /**
     * Returns how much the server has written to its log so far.
     *
     * @return bytes of WAL
     * @throws SQLException if the server refuses
     */
    public long walBytes() throws SQLException {
        return number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint");
    }

    /**
     * Returns how much time the server's processes have used so far.
     *
     * @return nanoseconds of processor time; 0 where the system does not tell
     * @throws IOException if the system refuses to tell
     */
    public long cpuNanos() throws IOException {
        return processes.cpuNanos();
    }

    @Override
    public void close() throws IOException, SQLException {
        connection.close();
        postgres.close();
    }
}
