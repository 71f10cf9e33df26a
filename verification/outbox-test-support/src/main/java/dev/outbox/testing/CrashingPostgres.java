package dev.outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL server that crashes on demand. It is durable as in production, except that asynchronous commits reach the disk only when
 * another commit flushes them: a crash loses each one that no synchronous commit has followed.
 *
 * <p>Used by one thread. Runs as root and as an ordinary user, on Linux and macOS.
 */
public final class CrashingPostgres implements AutoCloseable {

    private static final ServerSettings SETTINGS = ServerSettings.durable()
            .with("shared_buffers", "64MB")
            .with("wal_buffers", "16MB")
            .with("wal_writer_delay", "10s")
            .with("wal_writer_flush_after", "1GB")
            .with("bgwriter_lru_maxpages", "0")
            .with("checkpoint_timeout", "1h");

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(1);

    private final int port = FreePort.find();
    private final Thread closer = new Thread(this::delete, "crashing-postgres-stop");
    private final TestPostgres postgres;
    private PostgresProcess primary;
    private @Nullable PostgresProcess standby;
    private @Nullable PostgresProcess backup;

    private CrashingPostgres() {
        primary = PostgresProcess.initialize();
        Runtime.getRuntime().addShutdownHook(closer);
        start();
        require("fsync", "on");
        require("synchronous_commit", "on");
        require("wal_writer_delay", "10s");
        postgres = new TestPostgres(new TestServer("crashing server", address(), () -> {}));
    }

    /** Creates a server and starts it; the caller closes it. */
    public static CrashingPostgres create() {
        return new CrashingPostgres();
    }

    /** The port of the server, which stays the same. */
    public int port() {
        return port;
    }

    /** Returns the server for creating databases; its address stays the same. */
    public TestPostgres postgres() {
        return postgres;
    }

    /** Starts the server where it was stopped or has crashed, on the same port, and returns when it accepts connections. */
    public void start() {
        primary.start(port, SETTINGS);
    }

    /** Stops the server as an operator would: nothing is lost. */
    public void stop() {
        primary.end("INT");
    }

    /** Ends every process of the server at once, as {@code pg_ctl stop -m immediate} does. */
    public void crash() {
        primary.end("QUIT");
    }

    /**
     * Kills the backend of one session. The postmaster ends all others, and recovers from the crash by itself: its start time stays
     * the same. Returns when the server accepts connections again.
     */
    public void crashBackend() {
        try (Connection victim = address().maintain();
                Connection witness = address().maintain()) {
            ProcessHandle.of(Long.parseLong(ServerAddress.execute(victim, "SELECT pg_backend_pid()")))
                    .orElseThrow()
                    .destroyForcibly();
            await("the postmaster ends the other sessions", () -> isBroken(witness));
        } catch (SQLException e) {
            throw new IllegalStateException("No backend could be killed", e);
        }
        primary.awaitConnections(address());
    }

    /** Adds a standby that replicates asynchronously until {@link #stopReplication()}. The server keeps running meanwhile. */
    public void addStandby() {
        replicateTo(primary.copyRunning(address()));
    }

    /**
     * Adds a standby that replicates synchronously until {@link #failOver()}: it has every synchronous commit, but not every
     * asynchronous one. The server keeps running meanwhile.
     */
    public void addSynchronousStandby() {
        replicateTo(primary.copyRunning(address()));
        address().execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
        address().execute("SELECT pg_reload_conf()");
        String synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        await(
                "the standby replicates synchronously",
                () -> address().execute(synchronous).equals("1"));
    }

    private void replicateTo(PostgresProcess copy) {
        standby = copy;
        copy.standBy();
        String primaryConninfo = "host=localhost port=" + port + " user=postgres application_name=standby";
        copy.start(FreePort.find(), SETTINGS.with("primary_conninfo", primaryConninfo));
    }

    /** Takes a base backup of the running server, which replaces an earlier one. */
    public void backUp() {
        keep(primary.copyRunning(address()));
    }

    /** Takes a backup of the stopped server's files, which replaces an earlier one, and starts the server again. */
    public void backUpCold() {
        stop();
        keep(primary.copy());
        start();
    }

    private void keep(PostgresProcess copy) {
        if (backup != null) {
            backup.delete();
        }
        backup = copy;
    }

    /** Crashes the server for good and starts its last backup in its place, which is used up. */
    public void restoreBackup() {
        PostgresProcess restored = backup;
        if (restored == null) {
            throw new IllegalStateException("There is no backup");
        }
        crash();
        primary.delete();
        primary = restored;
        backup = null;
        start();
    }

    /** Stops the standby when it has replayed everything so far; it misses all later changes. */
    public void stopReplication() {
        String behind = """
                SELECT count(*)
                FROM pg_stat_replication
                WHERE replay_lsn >= '%s'
                """.formatted(address().execute("SELECT pg_current_wal_flush_lsn()"));
        await(
                "the standby has replayed everything",
                () -> address().execute(behind).equals("1"));
        standby().end("INT");
    }

    /** Crashes the server for good and promotes the standby, which takes over its address. */
    public void failOver() {
        crash();
        primary.delete();
        primary = standby();
        standby = null;
        if (primary.isRunning()) {
            primary.end("INT");
        }
        start();
        address().execute("SELECT pg_promote()");
    }

    /** Ends the server and deletes its files. */
    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(closer);
        delete();
    }

    private void delete() {
        if (standby != null) {
            standby.delete();
        }
        if (backup != null) {
            backup.delete();
        }
        primary.delete();
    }

    private PostgresProcess standby() {
        if (standby == null) {
            throw new IllegalStateException("There is no standby");
        }
        return standby;
    }

    private ServerAddress address() {
        return PostgresProcess.address(port);
    }

    private void require(String setting, String value) {
        String actual = address().setting(setting);
        if (!actual.equals(value)) {
            throw new IllegalStateException(setting + " must be " + value + ", but is " + actual);
        }
    }

    private static void await(String condition, BooleanSupplier met) {
        Awaitility.await(condition)
                .pollDelay(Duration.ZERO)
                .pollInterval(BETWEEN_LOOKS)
                .atMost(DEADLINE)
                .until(met::getAsBoolean);
    }

    private static boolean isBroken(Connection connection) {
        try {
            return !connection.isValid(0);
        } catch (SQLException e) {
            return true;
        }
    }
}
