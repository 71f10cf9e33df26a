package dev.outbox.internal.gauges;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;

/** Statements of the gauges, for the tests of other packages. */
public final class GaugeSteps {

    public static final String COUNT = QueueStateStore.COUNT;
    public static final String DELIVERIES = QueueStateStore.DELIVERIES;

    private GaugeSteps() {}

    /** Returns the events of each stream. */
    public static Map<String, QueueState.Stream> count(DataSource dataSource) throws SQLException {
        return new QueueStateStore(dataSource, OutboxSchema.DEFAULT, Pipeline.INSPECT)
                .read()
                .streams();
    }
}
