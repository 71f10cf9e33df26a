package dev.outbox.internal.notify;

import dev.outbox.internal.notify.NotificationChannel.Message;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Chooses the instance that responds to a message first, by rendezvous hashing over the instances that poll its stream. Each instance knows
 * the others from its last look; if these lists differ for a while, two instances respond, or one a moment later.
 */
final class Responders {

    private final String worker;
    private volatile Map<String, Set<String>> others = Map.of();

    Responders(String worker) {
        this.worker = worker;
    }

    /** Replaces the other instances, by the streams that they poll. */
    void know(Map<String, Set<String>> pollers) {
        others = Map.copyOf(pollers);
    }

    /** Returns how many instances poll a stream, this one included. */
    int pollers(String stream) {
        return 1 + others.getOrDefault(stream, Set.of()).size();
    }

    /** Returns whether this instance responds. The sender of a message asks for another one. */
    boolean isChosen(Message message) {
        return isFirst(message.wakeUp().stream(), message.number(), message.worker());
    }

    /** Returns whether this instance comes first in one of the streams. */
    boolean leads(Set<String> streams) {
        return streams.stream().anyMatch((stream) -> isFirst(stream, 0, ""));
    }

    private boolean isFirst(String stream, int number, String except) {
        long own = weight(worker, number);
        return others.getOrDefault(stream, Set.of()).stream()
                .filter((other) -> !other.equals(except))
                .allMatch((other) -> weight(other, number) <= own);
    }

    private static long weight(String name, int number) {
        return new SplittableRandom(((long) name.hashCode() << Integer.SIZE) + number).nextLong();
    }
}
