package dev.outbox.spring.autoconfigure.health;

import dev.outbox.internal.store.StatusStore.Counts;
import dev.outbox.spring.autoconfigure.OutboxProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Compares the counts of all streams with the configured limits. */
final class HealthThresholds {

    private final OutboxProperties.Health limits;

    HealthThresholds(OutboxProperties.Health limits) {
        this.limits = limits;
    }

    /** Returns a sentence for each limit that is exceeded, with the stream, the figure and the limit. */
    List<String> exceeded(Map<String, Counts> counts) {
        List<String> exceeded = new ArrayList<>();
        Map<String, Counts> sorted = new TreeMap<>(counts);
        sorted.forEach((stream, of) -> {
            addIfTooOld(exceeded, "pending", stream, of.oldestPending());
            addIfTooOld(exceeded, "retrying", stream, of.oldestRetrying());
        });
        long dead = counts.values().stream().mapToLong(Counts::dead).sum();
        if (limits.maxDead() != null && dead > limits.maxDead()) {
            String streams = sorted.entrySet().stream()
                    .filter((entry) -> entry.getValue().dead() > 0)
                    .map((entry) -> entry.getKey() + ": " + entry.getValue().dead())
                    .collect(Collectors.joining(", "));
            exceeded.add("%d dead events (%s), above outbox.health.max-dead of %d"
                    .formatted(dead, streams, limits.maxDead()));
        }
        return exceeded;
    }

    private void addIfTooOld(List<String> exceeded, String state, String stream, Duration age) {
        Duration limit = limits.maxOldest();
        if (limit != null && age.compareTo(limit) > 0) {
            exceeded.add("the oldest %s event of stream %s is %s old, above outbox.health.max-oldest of %s"
                    .formatted(state, stream, seconds(age), seconds(limit)));
        }
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() / 1000.0 + " s";
    }
}
