package dev.outbox.testing.kafka;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Collectors;

/** Configuration of the brokers: durable as in production, and quick to start, to notice a death, and to recover. */
final class BrokerProperties {

    private static final String TEMPLATE = """
            process.roles=%(roles)
            node.id=%(id)
            controller.quorum.voters=%(voters)
            listeners=INTERNAL://localhost:%(internal),CLIENT://localhost:%(client)%(votes)
            advertised.listeners=INTERNAL://localhost:%(internal),CLIENT://%(address)
            listener.security.protocol.map=INTERNAL:PLAINTEXT,CLIENT:%(protocol),CONTROLLER:PLAINTEXT
            inter.broker.listener.name=INTERNAL
            controller.listener.names=CONTROLLER
            log.dirs=%(directory)/log

            # The registration of a killed broker blocks its restart for so long. A broker that stalls for longer is fenced.
            broker.session.timeout.ms=3000
            broker.heartbeat.interval.ms=200
            group.initial.rebalance.delay.ms=0
            group.min.session.timeout.ms=500
            auto.create.topics.enable=false
            auto.leader.rebalance.enable=false

            default.replication.factor=%(replicas)
            min.insync.replicas=%(insync)
            offsets.topic.replication.factor=%(replicas)
            offsets.topic.num.partitions=3
            transaction.state.log.replication.factor=%(replicas)
            transaction.state.log.min.isr=%(insync)
            transaction.state.log.num.partitions=3
            share.coordinator.state.topic.replication.factor=%(replicas)
            share.coordinator.state.topic.min.isr=%(insync)

            # Half of the heap by default.
            log.cleaner.dedupe.buffer.size=2097152
            """;

    private static final String PASSWORDS = """

            sasl.enabled.mechanisms=SCRAM-SHA-256
            listener.name.client.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
            """;

    /** A connection is checked again every second, so that it ends soon after its credential. A slow network would not let it. */
    private static final String CHECKED_AGAIN = """
            listener.name.client.scram-sha-256.connections.max.reauth.ms=1000
            """;

    private BrokerProperties() {}

    /** Writes the configuration of each broker of a cluster whose clients may need passwords. */
    static void write(List<KafkaBroker> brokers, boolean proxied, boolean passwords) {
        // Of an even number, the last has no vote: it may die without taking the quorum with it.
        List<KafkaBroker> voting = brokers.subList(0, brokers.size() - (brokers.size() + 1) % 2);
        String voters = voting.stream()
                .map((broker) -> broker.id() + "@localhost:" + broker.ports().controller())
                .collect(Collectors.joining(","));
        int replicas = brokers.size();
        for (KafkaBroker broker : brokers) {
            boolean votes = voting.contains(broker);
            String properties = (TEMPLATE + (passwords ? PASSWORDS : "") + (passwords && !proxied ? CHECKED_AGAIN : ""))
                    .replace("%(roles)", votes ? "broker,controller" : "broker")
                    .replace("%(votes)", votes ? ",CONTROLLER://localhost:%(controller)" : "")
                    .replace("%(protocol)", passwords ? "SASL_PLAINTEXT" : "PLAINTEXT")
                    .replace("%(id)", "" + broker.id())
                    .replace("%(voters)", voters)
                    .replace("%(internal)", "" + broker.ports().internal())
                    .replace("%(client)", "" + broker.ports().client())
                    .replace("%(controller)", "" + broker.ports().controller())
                    .replace("%(address)", broker.address())
                    .replace("%(directory)", broker.directory().toString())
                    .replace("%(replicas)", "" + replicas)
                    .replace("%(insync)", "" + Math.max(1, replicas - 1));
            try {
                Files.writeString(broker.directory().resolve("server.properties"), properties);
            } catch (IOException e) {
                throw new UncheckedIOException("The configuration of a broker could not be written", e);
            }
        }
    }
}
