package dev.outbox.chaos.matrix;

import dev.outbox.chaos.history.RunTables;
import dev.outbox.testing.CrashingPostgres;
import dev.outbox.testing.TestDatabase;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Server of one rig, which crashes on demand and gives every cell a database of its own. Used by one thread. */
final class MatrixServer implements AutoCloseable {

    private final CrashingPostgres server = CrashingPostgres.create();
    private final TestDatabase template = server.postgres().newDatabase();
    private final JdbcClient maintenance = JdbcClient.create(dataSource("postgres"));

    MatrixServer() {
        RunTables.create(
                template.dataSource(),
                RunTables.LEDGER,
                "/dev/outbox/chaos/matrix/refusal.sql",
                "/dev/outbox/chaos/matrix/expectations.sql");
    }

    /** Creates a copy of the tables. */
    Assignment.Database create(String name) {
        maintenance
                .sql("CREATE DATABASE " + name + " TEMPLATE " + template.name())
                .update();
        return new Assignment.Database(url(name), template.username(), template.password());
    }

    void drop(String name) {
        maintenance.sql("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)").update();
    }

    DataSource dataSource(String name) {
        return new DriverManagerDataSource(url(name), template.username(), template.password());
    }

    private String url(String name) {
        return template.jdbcUrl().replace(template.name(), name);
    }

    /** Ends every session of a process, and returns how many there were. */
    int cut(String process) {
        return maintenance.sql("""
                        SELECT count(pg_terminate_backend(pid, 1000))
                        FROM pg_stat_activity
                        WHERE application_name = ?
                        """).param(process).query(Integer.class).single();
    }

    /** Ends every process of the server at once, and returns how many bytes of its log it forgets. */
    long crash() {
        long forgotten = maintenance
                .sql("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), pg_current_wal_flush_lsn())::bigint")
                .query(Long.class)
                .single();
        server.crash();
        return forgotten;
    }

    void start() {
        server.start();
    }

    @Override
    public void close() {
        server.close();
    }
}
