package dev.outbox.internal.dispatch;

import dev.outbox.internal.failure.Failure;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Outcome of offering an event to one handler: the failure, if there was one, its duration, and the time until the next attempt. */
public record DeliveryOutcome(
        Kind kind,
        @Nullable Failure failure,
        Duration delay,
        Duration took,
        @Nullable CompletableFuture<DeliveryOutcome> arrival) {

    public static final DeliveryOutcome SUCCEEDED = of(Kind.SUCCEEDED);
    public static final DeliveryOutcome QUEUED = of(Kind.QUEUED);
    static final DeliveryOutcome ABANDONED = of(Kind.ABANDONED);

    private static final JsonMapper JSON = new JsonMapper();

    /** What became of the delivery, by the names that statements know. */
    public enum Kind {
        /** The handler returned. */
        SUCCEEDED,
        /** The handler failed and is tried again. */
        FAILED,
        /** The handler failed for a cause that counts against no event, such as a database outage, and is tried again. */
        DEFERRED,
        /** The handler failed and is not tried again. */
        DEAD,
        /** As {@link #DEAD}, and the handler's later events of the aggregate wait. */
        BLOCKED,
        /** The handler was not invoked: its lane has earlier work, it is paused or only elsewhere, or its circuit is open. */
        QUEUED,
        /** The outcome comes later. Until then, the claim keeps the lane. */
        LATER,
        /** The process is closing or has lost its lease: nothing is known, and nothing is written. */
        ABANDONED
    }

    private static DeliveryOutcome of(Kind kind) {
        return new DeliveryOutcome(kind, null, Duration.ZERO, Duration.ZERO, null);
    }

    /** Notes how long a failed attempt took. */
    DeliveryOutcome after(Duration duration) {
        return failure == null ? this : new DeliveryOutcome(kind, failure, delay, duration, null);
    }

    public static DeliveryOutcome retry(Failure failure, Duration delay, boolean counted) {
        return new DeliveryOutcome(counted ? Kind.FAILED : Kind.DEFERRED, failure, delay, Duration.ZERO, null);
    }

    public static DeliveryOutcome dead(Failure failure, boolean blocksLane) {
        return new DeliveryOutcome(blocksLane ? Kind.BLOCKED : Kind.DEAD, failure, Duration.ZERO, Duration.ZERO, null);
    }

    /** Returns an outcome that comes later; the arrival never fails. */
    static DeliveryOutcome later(CompletableFuture<DeliveryOutcome> arrival) {
        return new DeliveryOutcome(Kind.LATER, null, Duration.ZERO, Duration.ZERO, arrival);
    }

    public boolean isLater() {
        return kind == Kind.LATER;
    }

    /** Returns the outcome when it is known. */
    public CompletableFuture<DeliveryOutcome> known() {
        CompletableFuture<DeliveryOutcome> later = arrival;
        return later == null ? CompletableFuture.completedFuture(this) : later;
    }

    public boolean succeeded() {
        return kind == Kind.SUCCEEDED;
    }

    public boolean isDead() {
        return kind == Kind.DEAD || kind == Kind.BLOCKED;
    }

    /** Returns whether the handler may not have got the event. */
    public boolean isUnattempted() {
        return kind == Kind.QUEUED || kind == Kind.ABANDONED;
    }

    /** Returns whether the handler's later events of the aggregate have to wait. */
    public boolean blocksLane() {
        return kind != Kind.SUCCEEDED && kind != Kind.DEAD;
    }

    /** Returns the code of the failure, if there was one. */
    public @Nullable String code() {
        return failure == null ? null : failure.code();
    }

    /** Returns the message of the failure, if there was one. */
    public @Nullable String message() {
        return failure == null ? null : failure.message();
    }

    /** Returns what the statements add to a failure, as JSON: the duration of the attempt, and the first lines of the stack trace. */
    public @Nullable String details() {
        return failure == null || failure.trace().isEmpty()
                ? null
                : JSON.writeValueAsString(Map.of("millis", took.toMillis(), "trace", failure.trace()));
    }
}
