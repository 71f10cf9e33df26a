package dev.outbox.internal.registry;

import dev.outbox.EventEnvelope;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** What the handlers of an instance do: the calls that run for a second or more, the longest first, and the calls of the last minute. */
public record Activity(List<Call> calls, List<RunTime> runTimes) {

    /** Activity of an instance whose handlers rest. */
    public static final Activity NONE = new Activity(List.of(), List.of());

    /** More calls are not listed: a pool has as many. */
    private static final int MOST_CALLS = 50;

    private static final JsonMapper JSON = new JsonMapper();

    /** How long a call has run: a second, 10 s, or longer than a lease of its stream or its timeout allows. */
    public enum State {
        RUNNING,
        SLOW,
        STUCK
    }

    /** Call of a handler that has not returned. */
    public record Call(String handlerId, EventEnvelope event, Duration running, State state) {}

    /** Calls of a handler that returned or failed in the last minute, and how long they ran together. */
    public record RunTime(String handlerId, String stream, long calls, Duration total) {}

    /** Returns the value of the column. */
    String toJson() {
        return JSON.writeValueAsString(Map.of(
                "calls", calls.stream().limit(MOST_CALLS).map(Activity::json).toList(),
                "runTimes", runTimes.stream().map(Activity::json).toList()));
    }

    private static Map<String, Object> json(Call call) {
        EventEnvelope event = call.event();
        return Map.of(
                "handler", call.handlerId(),
                "stream", event.stream(),
                "event", event.eventId().toString(),
                "eventType", event.eventType(),
                "aggregateType", event.aggregateType(),
                "aggregateId", event.aggregateId(),
                "millis", call.running().toMillis(),
                "state", call.state().name());
    }

    private static Map<String, Object> json(RunTime runTime) {
        return Map.of(
                "handler", runTime.handlerId(),
                "stream", runTime.stream(),
                "calls", runTime.calls(),
                "micros", runTime.total().toNanos() / 1000);
    }
}
