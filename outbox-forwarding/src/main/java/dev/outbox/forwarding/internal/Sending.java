package dev.outbox.forwarding.internal;

import dev.outbox.forwarding.internal.Sender.Destination;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Message on its way to the broker, and how it ended. */
final class Sending {

    private final Unit connection;
    private final Destination destination;
    private final Consumer<Sending> whenSilent;
    private final long begunAt;
    private final CompletableFuture<End> ended = new CompletableFuture<>();
    private volatile @Nullable Unit unit;
    private volatile long handedOverAt;

    Sending(Unit connection, Destination destination, Consumer<Sending> whenSilent, long begunAt) {
        this.connection = connection;
        this.destination = destination;
        this.whenSilent = whenSilent;
        this.begunAt = begunAt;
        this.handedOverAt = begunAt;
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

    void handOver(Unit to, long at) {
        unit = to;
        handedOverAt = at;
    }

    /** Returns when the message was handed over, or before that, when it began. */
    long handedOverAt() {
        return handedOverAt;
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

    /** Returns how the message ended, when it has. */
    CompletableFuture<End> ended() {
        return ended;
    }

    /** Notes that the message has no answer for so long that this is a fault. */
    void silent() {
        whenSilent.accept(this);
    }

    boolean isOpen() {
        return !ended.isDone();
    }

    boolean hasSucceeded() {
        End end = ended.getNow(null);
        return end != null && end.fault() == null;
    }

    /** Ends the message. Returns {@code false} if it has ended before. */
    boolean end(@Nullable Fault fault, Unit by) {
        return ended.complete(new End(fault, by));
    }
}
