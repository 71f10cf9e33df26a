package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.EventPage;
import dev.outbox.operations.EventSelection;
import dev.outbox.operations.FailureGroup;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOverview;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** Implements the inspector on the outbox tables. */
public final class JdbcInspector implements OutboxInspector {

    private final StatusStore statuses;
    private final FailureStore failures;
    private final LaneStore lanes;
    private final EventStateStore events;
    private final EventQueryStore search;
    private final OperationLogStore operations;

    public JdbcInspector(DataSource dataSource, OutboxSchema schema) {
        this.statuses = new StatusStore(dataSource, schema);
        this.failures = new FailureStore(dataSource, schema);
        this.lanes = new LaneStore(dataSource, schema);
        this.events = new EventStateStore(dataSource, schema);
        this.search = new EventQueryStore(dataSource, schema);
        this.operations = new OperationLogStore(dataSource, schema);
    }

    @Override
    public OutboxOverview overview() {
        return OperatorRequest.run("read the overview", statuses::overview);
    }

    @Override
    public List<FailureGroup> failures() {
        return OperatorRequest.run("group failures", failures::groups);
    }

    @Override
    public List<LaneReport> lanes(String aggregateType, String aggregateId) {
        OperatorRequest.checkName("aggregate type", aggregateType);
        OperatorRequest.checkName("aggregate id", aggregateId);
        return OperatorRequest.run("explain lanes", () -> lanes.read(aggregateType, aggregateId));
    }

    @Override
    public List<String> aggregateTypes(String aggregateId) {
        OperatorRequest.checkName("aggregate id", aggregateId);
        return OperatorRequest.run("find an aggregate", () -> search.aggregateTypes(aggregateId));
    }

    @Override
    public List<Operation> pauses() {
        return OperatorRequest.run("list pauses", operations::pauses);
    }

    @Override
    public Optional<EventDetails> findEvent(UUID eventId) {
        return OperatorRequest.run("find an event", () -> events.find(eventId));
    }

    @Override
    public Optional<EventDetails.Content> findContent(UUID eventId) {
        return OperatorRequest.run("read the content of an event", () -> events.content(eventId));
    }

    @Override
    public EventPage findEvents(EventSelection selection, int limit) {
        OperatorRequest.check(limit);
        return OperatorRequest.search(
                "search events", selection, "an aggregate with its type and id", () -> search.find(selection, limit));
    }
}
