package dev.outbox.internal.schema;

import dev.outbox.internal.store.OutboxSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Migrations of the outbox tables. The first reading follows the migration or validation at start and therefore holds every migration that
 * this version needs; a later reading without one of them means older tables, for example after a restore. Safe for use by many threads.
 */
public final class SchemaHistory {

    private final DataSource dataSource;
    private final String applied;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Set<String> required;

    public SchemaHistory(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.applied = """
                SELECT script || coalesce(' ' || checksum, '')
                  FROM %s.%s
                 WHERE success
                   AND type = 'SQL'
                """.formatted(schema.quoted(), OutboxMigrations.HISTORY);
    }

    /** Returns the scripts, with checksums, that the first reading found and this one does not. */
    public Set<String> missing() throws SQLException {
        lock.lock();
        try {
            Set<String> found = read();
            Set<String> first = required;
            if (first == null) {
                required = found;
                return Set.of();
            }
            Set<String> missing = new TreeSet<>(first);
            missing.removeAll(found);
            return missing;
        } finally {
            lock.unlock();
        }
    }

    private Set<String> read() throws SQLException {
        Set<String> scripts = new TreeSet<>();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            try (ResultSet rows = statement.executeQuery(applied)) {
                while (rows.next()) {
                    scripts.add(rows.getString(1));
                }
            }
        }
        return scripts;
    }
}
