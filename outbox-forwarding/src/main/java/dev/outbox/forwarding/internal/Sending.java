package dev.outbox.forwarding.internal;

import dev.outbox.forwarding.internal.Sender.Destination;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Message on its way to the broker, and how it ended. */
final class Sending {

    private final Unit connection;
    private final Destination destination;
    private final long begunAt;
    private final CompletableFuture<Void> awaited = new CompletableFuture<>();
    private volatile @Nullable Unit unit;
    private @Nullable End end;

    Sending(Unit connection, Destination destination, long begunAt) {
        this.connection = connection;
        this.destination = destination;
        this.begunAt = begunAt;
    }

    /** Acknowledgement, or a fault and the unit that has it. */
    record End(@Nullable Fault fault, Unit unit) {}

    Destination destination() {
        return destination;
    }

    long begunAt() {
        return begunAt;
    }

    /** Returns the unit that has to answer, or {@code null} before the message is handed over. */
    @Nullable
    Unit unit() {
        return unit;
    }

    void handOver(Unit to) {
        unit = to;
    }

    /** Returns the unit that the message waits for. */
    Unit holder() {
        Unit known = unit;
        return known == null ? destination.unit() : known;
    }

    /** Returns the units that an acknowledgement proves to work. */
    List<Unit> path() {
        return List.of(holder(), destination.unit(), connection);
    }

    synchronized @Nullable End end() {
        return end;
    }

    /** Ends the message. Returns {@code false} if it has ended before. */
    synchronized boolean end(@Nullable Fault fault, Unit by) {
        boolean first = end == null;
        if (first) {
            end = new End(fault, by);
        }
        return first;
    }

    /** Ends all waits: the message has ended, or should not be waited for. */
    void release() {
        awaited.complete(null);
    }

    /** Returns whether there is nothing left to wait for. */
    boolean await(long nanos) throws InterruptedException {
        try {
            awaited.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException late) {
            return false;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
