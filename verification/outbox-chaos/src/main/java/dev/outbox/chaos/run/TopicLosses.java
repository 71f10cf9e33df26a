package dev.outbox.chaos.run;

import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.fleet.Member;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.Fact.Overtaken;
import dev.outbox.chaos.process.Commands;
import dev.outbox.chaos.process.ReceivingProcess;
import dev.outbox.testing.kafka.KafkaCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a topic loses while the inbox that reads it is paused. Comes alone, when the other faults are over. */
final class TopicLosses {

    private static final Logger log = LoggerFactory.getLogger(TopicLosses.class);

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

    /** Consumers of an inbox look that often at what operators want, and a poll may last a second more. */
    private static final Duration CONSUMERS_LOOK = Duration.ofSeconds(7);

    /** Records of a partition that retention removes, at most half of those that wait. */
    static final long REMOVED = 20;

    private static final String NEXT_OFFSET = """
            SELECT coalesce(max(next_offset), 0)
            FROM events.outbox_inbox_offset
            WHERE topic = ? AND partition = ?
            """;

    private static final String STOPPED = """
            SELECT count(*)
            FROM events.outbox_inbox_offset
            WHERE topic = ? AND partition = ? AND stopped_after IS NOT NULL
            """;

    private final KafkaCluster cluster;
    private final String topic;
    private final String route;
    private final List<TopicPartition> partitions;
    private final Fleet producer;
    private final Fleet receiver;
    private final PlainConsumer consumer;

    TopicLosses(
            KafkaCluster cluster,
            String topic,
            String route,
            int partitions,
            Fleet producer,
            Fleet receiver,
            PlainConsumer consumer) {
        this.cluster = cluster;
        this.topic = topic;
        this.route = route;
        this.partitions = IntStream.range(0, partitions)
                .mapToObj((partition) -> new TopicPartition(topic, partition))
                .toList();
        this.producer = producer;
        this.receiver = receiver;
        this.consumer = consumer;
    }

    /**
     * Retention removes records of a partition that the inbox has not read. The partition stops and the others continue; an operator
     * decides where it continues. The checker finds it out if it does not stop.
     */
    void overtake(int partition, boolean latest) throws InterruptedException, ExecutionException {
        TopicPartition victim = partitions.get(partition);
        pauseInbox();
        publishUntil(() -> partitions.stream().allMatch((one) -> end(one) - next(one) >= 2 * REMOVED));
        consumer.readAll(topic, route);
        long first = next(victim);
        long kept = first + REMOVED;
        receiver.facts()
                .write(new Overtaken(
                        System.nanoTime(),
                        ReceivingProcess.INBOX_HANDLER,
                        eventsAt(victim, (offset) -> offset >= first && offset < kept),
                        eventsAt(victim, (offset) -> offset >= kept)));
        cluster.admin()
                .deleteRecords(Map.of(victim, RecordsToDelete.beforeOffset(kept)))
                .all()
                .get();
        operator().tell(Commands.PAUSE_INBOX, 0);
        await(
                "the other partitions continue",
                () -> partitions.stream().filter((one) -> !one.equals(victim)).allMatch(this::isReceived));
        if (Pause.until(DEADLINE, () -> isStopped(victim) || isReceived(victim)) && isStopped(victim)) {
            operator().tell(Commands.RESUME_INBOX, latest ? 1 : 0);
        } else {
            log.error("{} has not stopped", victim);
        }
        awaitReceived();
    }

    /** The topic is deleted and created again while the inbox is paused, and longer than before when it continues. */
    void createAgain() throws InterruptedException, ExecutionException {
        publishUntil(() -> true);
        awaitReceived();
        pauseInbox();
        consumer.readAll(topic, route);
        consumer.startAgain();
        Map<TopicPartition, Long> before =
                partitions.stream().collect(Collectors.toMap(Function.identity(), this::next));
        cluster.admin().deleteTopics(List.of(topic)).all().get();
        cluster.createTopic(topic, partitions.size());
        publishUntil(() -> before.entrySet().stream().allMatch((one) -> end(one.getKey()) > one.getValue() + REMOVED));
        operator().tell(Commands.PAUSE_INBOX, 0);
        awaitReceived();
    }

    /** Returns when each consumer has seen that the inbox is paused. */
    private void pauseInbox() {
        operator().tell(Commands.PAUSE_INBOX, 1);
        Pause.of(CONSUMERS_LOOK);
    }

    /** Publishes until a condition is met, and returns when everything is in the topic. */
    private void publishUntil(BooleanSupplier met) {
        producer.throttle().open();
        await("enough is published", met);
        producer.throttle().pause();
        await("everything is forwarded", () -> Progress.open(producer) == 0);
    }

    private void awaitReceived() {
        await("everything is received", this::areReceived);
    }

    /** Returns whether the inbox has read all records of the topic. */
    boolean areReceived() {
        return partitions.stream().allMatch(this::isReceived);
    }

    private boolean isReceived(TopicPartition partition) {
        return next(partition) >= end(partition);
    }

    private Member operator() {
        receiver.awaitReady();
        return receiver.workers().get(0);
    }

    private Set<UUID> eventsAt(TopicPartition partition, LongPredicate offsets) {
        return consumer.places().entrySet().stream()
                .filter((entry) -> entry.getValue().partition().equals(partition)
                        && offsets.test(entry.getValue().offset()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private long next(TopicPartition partition) {
        return number(NEXT_OFFSET, partition);
    }

    private boolean isStopped(TopicPartition partition) {
        return number(STOPPED, partition) > 0;
    }

    private long number(String sql, TopicPartition partition) {
        return receiver.sql()
                .sql(sql)
                .params(partition.topic(), partition.partition())
                .query(Long.class)
                .single();
    }

    private long end(TopicPartition partition) {
        try {
            return cluster.admin()
                    .listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .get()
                    .offset();
        } catch (ExecutionException e) {
            throw new IllegalStateException("The brokers must answer when the faults are over", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the brokers answer", e);
        }
    }

    private static void await(String condition, BooleanSupplier met) {
        boolean isMet = Pause.until(DEADLINE, () -> {
            Pause.of(BETWEEN_LOOKS);
            return met.getAsBoolean();
        });
        if (!isMet) {
            throw new IllegalStateException("Waited " + DEADLINE + " in vain until " + condition);
        }
    }
}
