package dev.outbox.internal.dispatch;

import dev.outbox.internal.registry.Activity.RunTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Number and duration of the calls of each handler in the last minute, to 10 s. Safe for use by many threads. */
final class RunTimes {

    private static final long SLOT = Duration.ofSeconds(10).toNanos();
    private static final int SLOTS = 6;

    private final Map<Key, Minute> minutes = new ConcurrentHashMap<>();

    private record Key(String handlerId, String stream) {}

    /** Sums of the present slot and of those before it. */
    private static final class Minute {

        private final long[] calls = new long[SLOTS];
        private final long[] nanos = new long[SLOTS];
        private long latest;

        Minute(long slot) {
            latest = slot;
        }

        synchronized void add(long slot, long took) {
            moveTo(slot);
            int index = index(latest);
            calls[index]++;
            nanos[index] += took;
        }

        synchronized RunTime at(long slot, Key key) {
            moveTo(slot);
            return new RunTime(
                    key.handlerId(),
                    key.stream(),
                    Arrays.stream(calls).sum(),
                    Duration.ofNanos(Arrays.stream(nanos).sum()));
        }

        /** The calls of two threads may be counted in another order than they ended: no slot is older than the latest. */
        private void moveTo(long slot) {
            for (long empty = Math.max(latest + 1, slot - SLOTS + 1); empty <= slot; empty++) {
                calls[index(empty)] = 0;
                nanos[index(empty)] = 0;
            }
            latest = Math.max(latest, slot);
        }

        private static int index(long slot) {
            return Math.floorMod(slot, SLOTS);
        }
    }

    void ended(String handlerId, String stream, long began, long ended) {
        long slot = Math.floorDiv(ended, SLOT);
        minutes.computeIfAbsent(new Key(handlerId, stream), (key) -> new Minute(slot))
                .add(slot, ended - began);
    }

    /** Returns the handlers that were called. */
    List<RunTime> at(long now) {
        return minutes.entrySet().stream()
                .map((minute) -> minute.getValue().at(Math.floorDiv(now, SLOT), minute.getKey()))
                .filter((runTime) -> runTime.calls() > 0)
                .toList();
    }
}
