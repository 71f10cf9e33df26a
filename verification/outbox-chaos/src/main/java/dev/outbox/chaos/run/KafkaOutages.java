package dev.outbox.chaos.run;

import dev.outbox.chaos.check.CheckSettings;
import dev.outbox.chaos.check.Report;
import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.fleet.FleetSettings;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.history.History;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.kafka.KafkaBroker;
import dev.outbox.testing.kafka.KafkaCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A service at the defaults, which forwards its events and handles them, too, while Kafka fails in one way after the other. Payments have
 * a stream of concurrency 4, the other events the default stream.
 */
public final class KafkaOutages {

    private static final Logger log = LoggerFactory.getLogger(KafkaOutages.class);

    private static final String TOPIC = "events";
    private static final String REPORTS = "reports";
    private static final int PARTITIONS = 6;
    private static final String USER = "producer";
    private static final String PASSWORD = "secret";

    /** Transactions of one event a second: 24 in the default stream, and 15 payments. */
    private static final long RATE = 40;

    private static final int LARGEST_BACKLOG = 10_000;
    private static final Duration ROUND_TRIP = Duration.ofSeconds(3);
    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final Duration DEADLINE = Duration.ofSeconds(90);

    private final long seed;
    private final Duration time;
    private final boolean all;
    private final Path directory;

    /** Prepares a run in which each fault lasts for some time: all of them, or those that are slow to show. */
    public KafkaOutages(long seed, Duration time, boolean all, Path directory) {
        this.seed = seed;
        this.time = time;
        this.all = all;
        this.directory = directory;
    }

    /** Runs, and returns when the history is checked. */
    public KafkaOutageReport run() throws IOException, SQLException {
        Map<String, String> login = KafkaCluster.login(USER, PASSWORD);
        try (KafkaCluster cluster = KafkaCluster.startProxiedWithPasswords(2)) {
            KafkaBroker first = cluster.broker(1);
            KafkaBroker second = cluster.broker(2);
            cluster.setPassword(USER, PASSWORD);
            cluster.createTopic(TOPIC, List.of(first, first, first, first, first, second));
            FleetSettings service = FleetSettings.defaults(cluster.bootstrapServers(), login);
            try (Fleet fleet = new Fleet(service, directory, seed, RATE, LARGEST_BACKLOG)) {
                fleet.awaitReady();
                fleet.throttle().open();
                Pause.of(WARM_UP);
                if (all) {
                    during(fleet, "another route's topic missing", () -> {}, () -> cluster.createTopic(REPORTS, 1));
                } else {
                    cluster.createTopic(REPORTS, 1);
                    awaitDrained(fleet);
                }
                during(fleet, "round trip of 3 s", () -> network(cluster, KafkaOutages::slow), () -> heal(cluster));
                during(fleet, KafkaOutageReport.LEADERLESS, second::kill, () -> cluster.restart(second));
                if (all) {
                    during(fleet, "healthy", () -> {}, () -> {});
                    during(fleet, "refused", () -> network(cluster, TcpProxy::refuse), () -> heal(cluster));
                    during(fleet, "black hole", () -> network(cluster, TcpProxy::blackHole), () -> heal(cluster));
                    during(fleet, "broker killed", first::kill, () -> cluster.restart(first));
                    during(
                            fleet,
                            "credential removed",
                            () -> expire(cluster),
                            () -> cluster.setPassword(USER, PASSWORD));
                }
                fleet.stop();
                return report(cluster, login, fleet);
            }
        }
    }

    private void during(Fleet fleet, String name, Runnable begin, Runnable end) {
        fleet.throttle().open();
        fleet.facts().write(Fault.begun(System.nanoTime(), Kind.BROKER_AWAY, name, ""));
        begin.run();
        Pause.of(time);
        fleet.facts().write(Fault.ended(System.nanoTime(), Kind.BROKER_AWAY, name, ""));
        end.run();
        awaitDrained(fleet);
        log.info("{} is over", name);
    }

    private static void awaitDrained(Fleet fleet) {
        fleet.throttle().pause();
        if (!Pause.until(DEADLINE, () -> Progress.open(fleet) == 0)) {
            throw new IllegalStateException("There is a backlog " + DEADLINE + " after a fault");
        }
    }

    private static void network(KafkaCluster cluster, Consumer<TcpProxy> fault) {
        cluster.brokers().forEach((broker) -> fault.accept(broker.proxy()));
    }

    private static void heal(KafkaCluster cluster) {
        network(cluster, TcpProxy::heal);
    }

    private static void slow(TcpProxy network) {
        network.delay(ROUND_TRIP.dividedBy(2));
    }

    private static void expire(KafkaCluster cluster) {
        cluster.removePassword(USER);
        network(cluster, TcpProxy::reset);
    }

    private KafkaOutageReport report(KafkaCluster cluster, Map<String, String> login, Fleet fleet)
            throws SQLException, IOException {
        PlainConsumer consumer;
        try (FactWriter facts = FactWriter.open(directory, "consumer")) {
            consumer = new PlainConsumer(cluster.bootstrapServers(), login, facts);
            consumer.readAll(TOPIC, "kafka-everything");
            consumer.readAll(REPORTS, "kafka-reports");
        }
        History history = History.read(directory, fleet.dataSource());
        Report checked = FleetChecker.check(CheckSettings.defaults(), history, fleet, directory);
        return KafkaOutageReport.of(history, checked, consumer.places(), new TopicPartition(TOPIC, PARTITIONS - 1));
    }
}
