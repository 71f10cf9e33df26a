package dev.outbox.chaos.nemesis;

import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.kafka.KafkaBroker;
import dev.outbox.testing.kafka.KafkaCluster;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** Faults of Kafka brokers, and of the network between them and their clients. */
public final class BrokerFaults {

    private final KafkaCluster cluster;
    private final String topic;
    private final int partitions;
    private final FactWriter facts;

    /** Prepares faults that concern a topic. */
    public BrokerFaults(KafkaCluster cluster, String topic, int partitions, FactWriter facts) {
        this.cluster = cluster;
        this.topic = topic;
        this.partitions = partitions;
        this.facts = facts;
    }

    /** Kills the leader of a partition, and starts it again after a while. */
    boolean kill(Random random) {
        KafkaBroker victim = cluster.leader(topic, random.nextInt(partitions));
        killFor(victim, Duration.ofMillis(300 + random.nextInt(2500)));
        return true;
    }

    private void killFor(KafkaBroker victim, Duration time) {
        String target = "broker-" + victim.id();
        facts.write(Fault.begun(System.nanoTime(), Kind.BROKER_AWAY, target, "SIGKILL"));
        victim.kill();
        Pause.of(time);
        cluster.restart(victim);
        facts.write(Fault.ended(System.nanoTime(), Kind.BROKER_AWAY, target, "restarted"));
    }

    /** Resets all connections of clients, and refuses new ones for a while. */
    boolean refuse(Random random) {
        Duration time = Duration.ofMillis(300 + random.nextInt(5000));
        return cutOff("refused", time, TcpProxy::refuse);
    }

    /** Drops everything between clients and brokers for a while; then it arrives. */
    boolean blackHole(Random random) {
        Duration time = Duration.ofMillis(300 + random.nextInt(7000));
        return cutOff("black hole", time, TcpProxy::blackHole);
    }

    /** Delays everything between clients and brokers for a while. */
    boolean slowDown(Random random) {
        Duration each = Duration.ofMillis(100 + random.nextInt(1400));
        Duration time = Duration.ofMillis(1000 + random.nextInt(5000));
        return cutOff("delay of " + each, time, (proxy) -> proxy.delay(each));
    }

    /** Leaves a partition on one broker only, kills that one, and lets the others have the partition again after a while. */
    boolean leaveLeaderless(Random random) {
        int partition = random.nextInt(partitions);
        KafkaBroker only = cluster.leader(topic, partition);
        Duration time = Duration.ofMillis(3000 + random.nextInt(5000));
        cluster.moveReplicas(topic, partition, List.of(only));
        killFor(only, time);
        cluster.moveReplicas(topic, partition, cluster.brokers());
        return true;
    }

    /** Makes another broker the leader of a partition. */
    boolean moveLeader(Random random) {
        int partition = random.nextInt(partitions);
        KafkaBroker leader = cluster.leader(topic, partition);
        List<KafkaBroker> others =
                cluster.brokers().stream().filter((broker) -> broker != leader).toList();
        cluster.moveLeader(topic, partition, others.get(random.nextInt(others.size())));
        return true;
    }

    private boolean cutOff(String note, Duration time, Consumer<TcpProxy> fault) {
        facts.write(Fault.begun(System.nanoTime(), Kind.BROKER_AWAY, topic, note));
        cluster.brokers().forEach((broker) -> fault.accept(broker.proxy()));
        Pause.of(time);
        cluster.brokers().forEach((broker) -> broker.proxy().heal());
        facts.write(Fault.ended(System.nanoTime(), Kind.BROKER_AWAY, topic, note));
        return true;
    }
}
