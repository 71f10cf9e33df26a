package dev.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Timeout(120)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no SIGQUIT")
@Tag("full")
class CrashingPostgresTest {

    @Test
    void crashLosesAsynchronousCommitsOnly() throws SQLException {
        try (CrashingPostgres server = CrashingPostgres.create();
                TestDatabase database = server.postgres().newDatabase()) {
            execute(database, "CREATE TABLE kept (number int)");
            for (int crash = 1; crash <= 3; crash++) {
                insert(database, 2 * crash);
                insertAsynchronously(database, 2 * crash + 1);
                server.crash();
                server.start();
            }

            assertThat(query(database, "SELECT number FROM kept ORDER BY 1")).containsExactly("2", "4", "6");
        }
    }

    @Test
    void backendCrashKeepsThePostmaster() throws SQLException {
        try (CrashingPostgres server = CrashingPostgres.create();
                TestDatabase database = server.postgres().newDatabase()) {
            execute(database, "CREATE TABLE kept (number int)");
            execute(database, "CREATE UNLOGGED TABLE unlogged (number int)");
            execute(database, "INSERT INTO unlogged VALUES (1)");
            List<String> started = query(database, "SELECT pg_postmaster_start_time()");
            insertAsynchronously(database, 1);

            server.crashBackend();

            assertThat(query(database, "SELECT pg_postmaster_start_time()")).isEqualTo(started);
            assertThat(query(database, "SELECT number FROM kept")).isEmpty();
            assertThat(query(database, "SELECT number FROM unlogged")).isEmpty();
        }
    }

    @Test
    void stopLosesNothing() throws SQLException {
        try (CrashingPostgres server = CrashingPostgres.create();
                TestDatabase database = server.postgres().newDatabase()) {
            execute(database, "CREATE TABLE kept (number int)");
            insertAsynchronously(database, 1);
            server.stop();
            server.start();

            assertThat(query(database, "SELECT number FROM kept")).containsExactly("1");
        }
    }

    @Test
    void failOverLosesWhatTheStandbyNeverReceived() throws SQLException {
        try (CrashingPostgres server = CrashingPostgres.create()) {
            server.addStandby();
            try (TestDatabase database = server.postgres().newDatabase()) {
                execute(database, "CREATE TABLE kept (number int)");
                insert(database, 1);
                server.stopReplication();
                insert(database, 2);

                server.failOver();

                insert(database, 3);
                assertThat(query(database, "SELECT number FROM kept ORDER BY 1"))
                        .containsExactly("1", "3");
                assertThat(query(database, "SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)"))
                        .containsExactly("00000002");
            }
        }
    }

    @Test
    void synchronousStandbyHasEverySynchronousCommit() throws SQLException {
        try (CrashingPostgres server = CrashingPostgres.create();
                TestDatabase database = server.postgres().newDatabase()) {
            execute(database, "CREATE TABLE kept (number int)");
            for (int number = 1; number <= 2; number++) {
                server.addSynchronousStandby();
                insert(database, number);

                server.failOver();
            }

            insert(database, 3);
            assertThat(query(database, "SELECT number FROM kept ORDER BY 1")).containsExactly("1", "2", "3");
        }
    }

    @Test
    void restoredBackupKnowsNothingOfWhatFollowedIt() throws SQLException {
        try (CrashingPostgres server = CrashingPostgres.create();
                TestDatabase database = server.postgres().newDatabase()) {
            execute(database, "CREATE TABLE kept (number int)");
            insert(database, 1);
            server.backUp();
            insert(database, 2);
            server.restoreBackup();
            insert(database, 3);
            server.backUpCold();
            insert(database, 4);
            server.restoreBackup();

            assertThat(query(database, "SELECT number FROM kept ORDER BY 1")).containsExactly("1", "3");
        }
    }

    private static void insert(TestDatabase database, int number) throws SQLException {
        execute(database, "INSERT INTO kept VALUES (" + number + ")");
    }

    /** Inserts again if the WAL writer, which flushes every 10 s, has just flushed the commit. */
    private static void insertAsynchronously(TestDatabase database, int number) throws SQLException {
        String flushed = "SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn()";
        int attempts = 0;
        do {
            execute(database, "DELETE FROM kept WHERE number = " + number);
            execute(database, "SET synchronous_commit = off; INSERT INTO kept VALUES (" + number + ")");
        } while (query(database, flushed).equals(List.of("t")) && ++attempts < 3);
    }

    private static void execute(TestDatabase database, String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> query(TestDatabase database, String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                rows.add(result.getString(1));
            }
        }
        return rows;
    }
}
