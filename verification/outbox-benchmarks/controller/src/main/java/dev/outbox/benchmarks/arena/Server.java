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

/** PostgreSQL server with a fresh cluster and durable commits, in its own processes. Closing it deletes the data. */
public final class Server implements AutoCloseable {

    /** Settings of a careful operator for a small machine, the same for every contestant. */
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

    /** Starts a server. */
    public Server(Map<String, String> overrides) throws IOException, SQLException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
        Map<String, String> effective = new TreeMap<>(SETTINGS);
        effective.putAll(overrides);
        effective.forEach(builder::setServerConfig);
        this.postgres = builder.start();
        this.connection = connect();
        for (String name : effective.keySet()) {
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

    /** Returns the file system of the data; in memory, durability would cost nothing. */
    private String fileSystem() throws IOException, SQLException {
        return Files.getFileStore(Path.of(text("SHOW data_directory"))).type();
    }

    /** Returns the settings that the server shows. */
    public Map<String, String> settings() {
        return settings;
    }

    /** Returns the JDBC URL of the database, without parameters. */
    public String url() {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/postgres";
    }

    /** Opens a connection, which the caller closes. */
    public Connection connect() throws SQLException {
        return postgres.getPostgresDatabase().getConnection();
    }

    /** Updates statistics and writes a checkpoint, so neither happens during the measurement. */
    public void settle() throws SQLException {
        execute("VACUUM ANALYZE");
        execute("CHECKPOINT");
    }

    /** Runs a statement. */
    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the result of a query for one number. */
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

    /** Returns the bytes of WAL that the server has written so far. */
    public long walBytes() throws SQLException {
        return number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint");
    }

    /** Returns the processor time of the server's processes so far; 0 on a system without {@code /proc}. */
    public long cpuNanos() throws IOException {
        return processes.cpuNanos();
    }

    @Override
    public void close() throws IOException, SQLException {
        connection.close();
        postgres.close();
    }
}
