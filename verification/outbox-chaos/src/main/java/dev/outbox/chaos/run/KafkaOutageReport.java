package dev.outbox.chaos.run;

import dev.outbox.chaos.check.Report;
import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.Faults.Window;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.TransactionHistory;
import dev.outbox.chaos.process.ForwardingProcess;
import dev.outbox.chaos.run.PlainConsumer.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/**
 * How long the events wait that are committed while Kafka fails.
 *
 * @param checked what the checker found
 * @param outages the faults, in their order
 */
public record KafkaOutageReport(Report checked, List<Outage> outages) {

    /** Name of the fault that leaves one partition without a leader. */
    static final String LEADERLESS = "1 of 6 partitions leaderless";

    private static final String PAYMENT = "payment";
    private static final Duration SOON = Duration.ofSeconds(1);

    /** What the 99th percentile of the local handlers' waits must keep, in a stream of concurrency 1 and of 4. */
    private static final Duration WITH_ONE = Duration.ofMillis(1500);

    private static final Duration WITH_FOUR = Duration.ofMillis(250);

    /**
     * The share of the events that must reach the topic within a second if its other partitions keep their leaders. Between 0.63 and 0.83 do
     * in a fault of 8 s, which has few batches: the others share one with the partition that has none.
     */
    private static final double HEALTHY = 0.5;

    /** What the 99th percentile of these events must keep. */
    private static final Duration HEALTHY_P99 = Duration.ofSeconds(6);

    /**
     * One fault.
     *
     * @param name what it was
     * @param one from a commit to the start of the local handler, in the stream of concurrency 1
     * @param four the same in the stream of concurrency 4
     * @param topic from a commit to the topic, in the partitions that keep their leaders
     * @param soon the share of those that were there within a second
     */
    public record Outage(String name, Delays one, Delays four, Delays topic, double soon) {

        @Override
        public String toString() {
            return "| %s | %d / %d | %d / %d | %d / %d | %.2f |"
                    .formatted(
                            name,
                            one.median(),
                            one.p99(),
                            four.median(),
                            four.p99(),
                            topic.median(),
                            topic.p99(),
                            soon);
        }
    }

    /** Copies the list. */
    public KafkaOutageReport {
        outages = List.copyOf(outages);
    }

    static KafkaOutageReport of(History history, Report checked, Map<UUID, Place> places, TopicPartition leaderless) {
        List<Outage> outages = history.faults()
                .matching((window) -> window.kind() == Kind.BROKER_AWAY)
                .sorted(Comparator.comparingLong(Window::begun))
                .map((window) -> outage(window, history, places, leaderless))
                .toList();
        return new KafkaOutageReport(checked, outages);
    }

    private static Outage outage(Window window, History history, Map<UUID, Place> places, TopicPartition leaderless) {
        long clock = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        List<Long> one = new ArrayList<>();
        List<Long> four = new ArrayList<>();
        List<Long> topic = new ArrayList<>();
        for (EventHistory event : history.events()) {
            TransactionHistory transaction = event.transaction();
            if (transaction == null
                    || transaction.outcome() != Commit.COMMITTED
                    || transaction.completedAt() < window.begun()
                    || transaction.completedAt() > window.ended()) {
                continue;
            }
            IntendedEvent intended = Objects.requireNonNull(event.intended());
            event.executions(ForwardingProcess.LOCAL)
                    .findFirst()
                    .ifPresent((execution) -> (intended.aggregateType().equals(PAYMENT) ? four : one)
                            .add(Math.max(0, execution.started().at() - transaction.completedAt())));
            Place place = places.get(event.id());
            if (place != null && !place.partition().equals(leaderless)) {
                long appended = TimeUnit.MILLISECONDS.toNanos(place.appendedAt()) + clock;
                topic.add(Math.max(0, appended - transaction.completedAt()));
            }
        }
        return new Outage(
                window.target(), Delays.of(one), Delays.of(four), Delays.of(topic), Delays.share(topic, SOON));
    }

    /** Returns the faults during which an event waits too long. */
    public List<Outage> broken() {
        return outages.stream()
                .filter((outage) -> !outage.one().isWithin(WITH_ONE)
                        || !outage.four().isWithin(WITH_FOUR)
                        || (outage.name().equals(LEADERLESS)
                                && (outage.soon() < HEALTHY || !outage.topic().isWithin(HEALTHY_P99))))
                .toList();
    }

    @Override
    public String toString() {
        return outages.stream().map(Outage::toString).collect(Collectors.joining("\n", checked + """
                                | ms, p50 / p99 | local, concurrency 1 | local, concurrency 4 | topic | topic within 1 s |
                                |---|--:|--:|--:|--:|
                                """, "\n"));
    }
}
