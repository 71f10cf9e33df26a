package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Format;
import dev.outbox.operations.Count;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.OutboxOverview.Call;
import dev.outbox.operations.OutboxOverview.Handler;
import dev.outbox.operations.OutboxOverview.Instance;
import dev.outbox.operations.OutboxOverview.RunTime;
import dev.outbox.operations.OutboxOverview.Stream;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What takes long: calls of handlers, and the streams that wait for them. Its limits are those of the alerts. */
final class Slowness {

    /** Unpublished events of all streams, above which OutboxBacklog fires. */
    static final long MOST_UNPUBLISHED = 1000;

    /** Age above which OutboxOldestPending fires. */
    static final Duration OLDEST_PENDING = Duration.ofSeconds(60);

    /** Delay above which OutboxScheduledOverdue fires. */
    static final Duration LONGEST_OVERDUE = Duration.ofSeconds(60);

    private static final Duration LONG = Duration.ofSeconds(1);

    private final OutboxOverview overview;
    private final List<Running> running;

    Slowness(OutboxOverview overview) {
        this.overview = overview;
        this.running = overview.instances().stream()
                .flatMap((instance) -> instance.calls().stream().map((call) -> new Running(instance, call)))
                .sorted(Comparator.comparing((Running one) -> one.call().running())
                        .reversed())
                .toList();
    }

    /** Call that lasts, and the instance that makes it. */
    record Running(Instance instance, Call call) {

        /** Says who has handled the event for how long. */
        String text() {
            return instance.name() + " has handled " + call.handlerId() + " for " + Format.text(call.running());
        }
    }

    /** Calls of a handler: those of the last minute, and the longest that lasts. */
    record Runs(RunTime lastMinute, @Nullable Call now) {}

    /** Handler, and its calls of the last minute in one stream. */
    record Busy(String handlerId, RunTime runTime) {}

    /** Returns the calls that last, the longest first. */
    List<Running> running() {
        return running;
    }

    /** Returns the calls of each handler. */
    Map<String, Runs> runs() {
        return overview.handlers().stream()
                .collect(Collectors.toMap(
                        Handler::id,
                        (handler) -> new Runs(
                                handler.runTimes().stream().reduce(new RunTime("", 0, Duration.ZERO), RunTime::plus),
                                running.stream()
                                        .map(Running::call)
                                        .filter((call) -> call.handlerId().equals(handler.id()))
                                        .findFirst()
                                        .orElse(null))));
    }

    /** Returns the handlers whose calls take a second or more. */
    Set<String> slowHandlers() {
        return runs().entrySet().stream()
                .filter((handler) -> handler.getValue().now() != null
                        || handler.getValue().lastMinute().mean().compareTo(LONG) >= 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Returns the polled streams that are behind: by the age of an event or, if all streams hold too many, that with the most. */
    List<Stream> behind() {
        List<Stream> delivering = overview.streams().stream()
                .filter((stream) -> !stream.paused() && isPolled(stream))
                .toList();
        long unpublished = delivering.stream()
                .mapToLong((stream) -> unpublished(stream).value())
                .sum();
        Stream largest = delivering.stream()
                .max(Comparator.comparing((stream) -> unpublished(stream).value()))
                .orElse(null);
        return delivering.stream()
                .filter((stream) -> stream.backlog().oldestPending().compareTo(OLDEST_PENDING) > 0
                        || (unpublished > MOST_UNPUBLISHED && stream.equals(largest)))
                .toList();
    }

    boolean isPolled(Stream stream) {
        return overview.instances().stream()
                .anyMatch((one) -> !Format.isSilent(one.lastSeenAt(), overview.at())
                        && one.streams().contains(stream.name()));
    }

    static Count unpublished(Stream stream) {
        return stream.backlog()
                .pending()
                .plus(stream.backlog().processing())
                .plus(stream.backlog().retrying());
    }

    /** Returns the longest call in a stream, if one lasts. */
    Optional<Running> front(Stream stream) {
        return running.stream()
                .filter((one) -> one.call().stream().equals(stream.name()))
                .findFirst();
    }

    /** Returns the handler whose calls took the most time in a stream, unless none was called. */
    Optional<Busy> busiest(Stream stream) {
        return overview.handlers().stream()
                .flatMap((handler) -> handler.runTimes().stream().map((runTime) -> new Busy(handler.id(), runTime)))
                .filter((busy) -> busy.runTime().stream().equals(stream.name()))
                .max(Comparator.comparing((busy) -> busy.runTime().total()));
    }

    /** Says in words which handlers hang and which streams are behind; without figures that change every moment. Empty if none is. */
    String summary() {
        return java.util.stream.Stream.concat(
                        running.stream()
                                .map(Running::call)
                                .filter((call) -> call.state() == Call.State.STUCK)
                                .map((call) -> call.handlerId() + " hangs")
                                .distinct(),
                        behind().stream().map((stream) -> "stream " + stream.name() + " is behind" + reason(stream)))
                .collect(Collectors.joining(", "));
    }

    private String reason(Stream stream) {
        return busiest(stream)
                .filter((busy) -> busy.runTime().mean().compareTo(LONG) >= 0)
                .map((busy) -> ": " + busy.handlerId() + " takes "
                        + Format.text(busy.runTime().mean()) + " a call")
                .orElse("");
    }
}
