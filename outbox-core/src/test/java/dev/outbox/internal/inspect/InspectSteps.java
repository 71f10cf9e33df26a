package dev.outbox.internal.inspect;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.OutboxOverview.Backlog;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Statements of the inspector, for the tests of other packages. */
public final class InspectSteps {

    public static final String COUNT = StatusStore.COUNT;

    private InspectSteps() {}

    /** Returns the backlog of each stream. */
    public static Map<String, Backlog> count(DataSource dataSource) throws SQLException {
        return new StatusStore(dataSource, OutboxSchema.DEFAULT, Pipeline.INSPECT)
                .overview().streams().stream()
                        .collect(Collectors.toMap(OutboxOverview.Stream::name, OutboxOverview.Stream::backlog));
    }
}
