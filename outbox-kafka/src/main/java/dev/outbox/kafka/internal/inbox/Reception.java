package dev.outbox.kafka.internal.inbox;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/** Tells whether Kafka answers a consumer: a poll throws nothing if no broker can be reached, or a topic does not exist. */
final class Reception {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration LONGEST_QUESTION = Duration.ofSeconds(5);

    /** Meters of the client. A poll that returns what an earlier fetch has brought needs no answer. */
    private static final Set<String> FETCHES = Set.of("fetch-total", "records-consumed-total");

    /** A group with more members than partitions has members without any, which send heartbeats only. */
    private static final Set<String> HEARTBEATS = Set.of("heartbeat-total");

    private final Set<String> topics;
    private final LongSupplier nanos;
    private double answers;
    private long answeredAt;
    private long completeAt;
    private long checkedAt;
    private @Nullable String problem;

    Reception(Set<String> topics, LongSupplier nanos) {
        this.topics = topics;
        this.nanos = nanos;
        begin();
    }

    /** Begins to watch a new consumer. */
    void begin() {
        answeredAt = nanos.getAsLong();
        completeAt = answeredAt;
        checkedAt = answeredAt;
        problem = null;
    }

    /** Returns why a consumer that polls has received nothing from Kafka for 30 s, or {@code null}. */
    @Nullable
    String problem(Consumer<?, ?> consumer) {
        long now = nanos.getAsLong();
        if (now - checkedAt >= INTERVAL.toNanos()) {
            checkedAt = now;
            problem = check(consumer, now);
        }
        return problem;
    }

    private @Nullable String check(Consumer<?, ?> consumer, long now) {
        Set<TopicPartition> assigned = consumer.assignment();
        boolean fetches = consumer.paused().size() < assigned.size();
        double count = total(consumer, fetches ? FETCHES : HEARTBEATS);
        if (count != answers) {
            answers = count;
            answeredAt = now;
        }
        Set<String> missing = new TreeSet<>(topics);
        assigned.forEach((partition) -> missing.remove(partition.topic()));
        if (missing.isEmpty()) {
            completeAt = now;
        }
        if (now - answeredAt >= PATIENCE.toNanos()) {
            return "Kafka has answered no " + (fetches ? "fetch" : "heartbeat") + " for " + PATIENCE.toSeconds() + " s";
        }
        if (now - completeAt >= PATIENCE.toNanos()) {
            missing.removeIf((topic) -> mayExist(consumer, topic));
            return missing.isEmpty() ? null : "the topics " + missing + " do not exist";
        }
        return null;
    }

    /** NaN, which differs from itself, if the consumer has no such meters: then every check counts as answered. */
    private static double total(Consumer<?, ?> consumer, Set<String> names) {
        return consumer.metrics().values().stream()
                .filter((metric) -> names.contains(metric.metricName().name()))
                .map((metric) -> metric.metricValue())
                .filter(Double.class::isInstance)
                .mapToDouble(Double.class::cast)
                .reduce(Double::sum)
                .orElse(Double.NaN);
    }

    private static boolean mayExist(Consumer<?, ?> consumer, String topic) {
        try {
            return !consumer.partitionsFor(topic, LONGEST_QUESTION).isEmpty();
        } catch (RetriableException ex) {
            return true;
        }
    }
}
