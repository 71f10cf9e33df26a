package dev.outbox.internal.inspect;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.OutboxOverview.Backlog;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;

/** Statements of the inspector, for the tests of other packages. */
public final class InspectSteps {

    public static final String COUNT = StatusStore.COUNT;

    private InspectSteps() {}

    /** Counts the events of each stream. */
    public static Map<String, Backlog> count(DataSource dataSource) throws SQLException {
        return new StatusStore(dataSource, OutboxSchema.DEFAULT).count();
    }
}
