package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.registry.KnownHandlers;
import dev.outbox.internal.registry.Subscriptions;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.OutboxOverview.Call;
import dev.outbox.operations.OutboxOverview.RunTime;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Instance, whether its last heartbeat is recent, and the run times of its handlers, by their current ids. */
record InstanceRow(OutboxOverview.Instance instance, boolean alive, Map<String, List<RunTime>> runTimes) {

    /** Reads outbox_instance whole: it has a row per instance, and loses those that are not seen for a day. What old heartbeats say of calls is over. */
    static final String LIST = """
            SELECT i.name, i.application, i.started_at, i.last_seen_at, i.streams, i.open_circuits, i.stopped,
                   i.last_seen_at >= clock_timestamp() - interval '1 minute',
                   CASE WHEN i.last_seen_at >= clock_timestamp() - interval '30 s' THEN i.activity ELSE '{}' END
              FROM {schema}.outbox_instance i
             ORDER BY i.name
             LIMIT 1000
            """;

    private static final JsonMapper JSON = new JsonMapper();

    /** Reads a row of {@link #LIST}. */
    static InstanceRow read(ResultSet row, KnownHandlers known) throws SQLException {
        JsonNode activity = JSON.readTree(row.getString(9));
        return new InstanceRow(
                new OutboxOverview.Instance(
                        row.getString(1),
                        row.getString(2),
                        row.getObject(3, OffsetDateTime.class).toInstant(),
                        row.getObject(4, OffsetDateTime.class).toInstant(),
                        Subscriptions.texts(row, 5),
                        Subscriptions.texts(row, 6),
                        Subscriptions.texts(row, 7),
                        activity.path("calls")
                                .valueStream()
                                .map((call) -> call(call, known))
                                .toList()),
                row.getBoolean(8),
                activity.path("runTimes")
                        .valueStream()
                        .collect(Collectors.groupingBy(
                                (runTime) -> handlerId(runTime, known),
                                Collectors.mapping(InstanceRow::runTime, Collectors.toList()))));
    }

    private static String handlerId(JsonNode of, KnownHandlers known) {
        return known.currentId(of.path("handler").asString());
    }

    private static Call call(JsonNode call, KnownHandlers known) {
        return new Call(
                handlerId(call, known),
                call.path("stream").asString(),
                UUID.fromString(call.path("event").asString()),
                call.path("eventType").asString(),
                call.path("aggregateType").asString(),
                call.path("aggregateId").asString(),
                Duration.ofMillis(call.path("millis").asLong()),
                Call.State.valueOf(call.path("state").asString()));
    }

    private static RunTime runTime(JsonNode runTime) {
        return new RunTime(
                runTime.path("stream").asString(),
                runTime.path("calls").asLong(),
                Duration.ofNanos(1000 * runTime.path("micros").asLong()));
    }
}
