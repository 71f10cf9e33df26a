package dev.outbox.chaos.run;

import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.fleet.FleetSettings;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.nemesis.BrokerFaults;
import dev.outbox.chaos.nemesis.FaultType;
import dev.outbox.chaos.nemesis.Nemesis;
import dev.outbox.chaos.nemesis.Schedule;
import dev.outbox.testing.kafka.KafkaCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run between two services, each with a database of its own: publishers, forwarders, a topic, and receivers with two handlers. The
 * brokers and the processes fail meanwhile, the backlogs drain, and the checker decides on both services and on the topic.
 */
public final class KafkaRun {

    private static final Logger log = LoggerFactory.getLogger(KafkaRun.class);

    private static final String TOPIC = "events";
    private static final String ROUTE = "kafka-everything";
    private static final int PARTITIONS = 3;
    private static final int COLD_AGGREGATES = 192;

    /** The longest time of a record in a producer, the probe of an open circuit, and the lease, beside the work itself. */
    private static final Duration DRAIN_DEADLINE = Duration.ofSeconds(60);

    private static final Duration PUBLISH_DEADLINE = Duration.ofMinutes(5);
    private static final int LARGEST_BACKLOG = 3000;

    private final KafkaSettings settings;
    private final Path producerFacts;
    private final Path receiverFacts;

    /** Prepares a run that writes its facts and logs below a directory. */
    public KafkaRun(KafkaSettings settings, Path directory) {
        this.settings = settings;
        this.producerFacts = directory.resolve("producer");
        this.receiverFacts = directory.resolve("receiver");
    }

    /** Runs, and returns when both histories are checked. */
    public KafkaReport run() throws IOException, SQLException, InterruptedException, ExecutionException {
        KafkaSettings.Size size = settings.size();
        try (KafkaCluster cluster = KafkaCluster.startProxied(size.brokers())) {
            cluster.createTopic(TOPIC, PARTITIONS);
            String servers = cluster.bootstrapServers();
            FleetSettings producing =
                    FleetSettings.producer(size.publishers(), size.forwarders(), COLD_AGGREGATES, servers);
            FleetSettings receiving = FleetSettings.receiver(size.receivers(), servers);
            try (Fleet producer = fleet(producing, producerFacts);
                    Fleet receiver = fleet(receiving, receiverFacts)) {
                return run(cluster, producer, receiver);
            }
        }
    }

    private Fleet fleet(FleetSettings members, Path facts) {
        return new Fleet(members, facts, settings.seed(), settings.rate(), LARGEST_BACKLOG);
    }

    private KafkaReport run(KafkaCluster cluster, Fleet producer, Fleet receiver)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        producer.awaitReady();
        receiver.awaitReady();
        producer.throttle().open();
        log.info("Ready");
        Map<FaultType, Integer> faults = causeFaults(cluster, producer, receiver);
        log.info("The faults are over");
        producer.awaitReady();
        receiver.awaitReady();
        PlainConsumer consumer;
        Duration drained;
        try (FactWriter facts = FactWriter.open(producerFacts, "consumer")) {
            consumer = new PlainConsumer(cluster.bootstrapServers(), facts);
            TopicLosses losses = new TopicLosses(cluster, TOPIC, ROUTE, PARTITIONS, producer, receiver, consumer);
            loseRecords(losses);
            producer.throttle().open();
            Pause.until(PUBLISH_DEADLINE, () -> Progress.committed(producer) >= settings.events());
            producer.throttle().pause();
            drained = drain(producer, receiver, losses);
            producer.stop();
            receiver.stop();
            log.info("Stopped");
            consumer.readAll(TOPIC, ROUTE);
        }
        History sent = History.read(producerFacts, producer.dataSource());
        History received = ReceivedHistory.read(producerFacts, receiverFacts, receiver.dataSource());
        return new KafkaReport(
                settings.seed(),
                FleetChecker.check(ChaosRun.CHECKED, sent, producer, producerFacts),
                FleetChecker.check(ChaosRun.CHECKED, received, receiver, receiverFacts),
                faults,
                consumer.records(),
                consumer.duplicates(),
                drained,
                producer.unexpectedEnds() + receiver.unexpectedEnds());
    }

    private Map<FaultType, Integer> causeFaults(KafkaCluster cluster, Fleet producer, Fleet receiver) {
        BrokerFaults brokers = new BrokerFaults(cluster, TOPIC, PARTITIONS, producer.facts());
        Nemesis first = new Nemesis(producer, brokers, schedule(settings.seed(), settings.producerFaults()));
        Nemesis second = new Nemesis(receiver, schedule(settings.seed() + 1, settings.receiverFaults()));
        CompletableFuture.allOf(first.start(), second.start()).join();
        Map<FaultType, Integer> counts = new TreeMap<>(first.counts());
        second.counts().forEach((type, count) -> counts.merge(type, count, Integer::sum));
        return counts;
    }

    private Schedule schedule(long seed, Map<FaultType, Integer> faults) {
        return Schedule.of(seed, faults, settings.time());
    }

    /** Retention overtakes the inbox in one partition after the other, and the topic is created again. */
    private void loseRecords(TopicLosses losses) throws InterruptedException, ExecutionException {
        for (int n = 0; n < settings.losses(); n++) {
            losses.createAgain();
            losses.overtake(n % PARTITIONS, n % 2 == 1);
            log.info("Records were lost");
        }
    }

    private static Duration drain(Fleet producer, Fleet receiver, TopicLosses losses) {
        long begun = System.nanoTime();
        Pause.until(
                DRAIN_DEADLINE,
                () -> Progress.open(producer) == 0 && losses.areReceived() && Progress.open(receiver) == 0);
        return Duration.ofNanos(System.nanoTime() - begun);
    }
}
