package dev.outbox.testing.kafka;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.TopicConfig;
import org.awaitility.Awaitility;

/**
 * Kafka cluster whose brokers are processes that crash on demand. Every topic is replicated to all brokers, and an acknowledged record
 * is on all but one of them.
 *
 * <p>Used by one thread. The processes end with the JVM, also when that is killed.
 */
public final class KafkaCluster implements AutoCloseable {

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);
    private static final ScramMechanism MECHANISM = ScramMechanism.SCRAM_SHA_256;

    private final Path directory;
    private final List<KafkaBroker> brokers = new ArrayList<>();
    private final Thread closer = new Thread(this::delete, "kafka-cluster-stop");
    private final Admin admin;

    private KafkaCluster(int count, boolean proxied, boolean passwords) {
        try {
            directory = Files.createTempDirectory("kafka-cluster-");
            String clusterId = Uuid.randomUuid().toString();
            for (int id = 1; id <= count; id++) {
                Path own = Files.createDirectory(directory.resolve("broker-" + id));
                brokers.add(new KafkaBroker(id, BrokerPorts.free(), own, clusterId, proxied));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The directories of the brokers could not be created", e);
        }
        BrokerProperties.write(brokers, proxied, passwords);
        Runtime.getRuntime().addShutdownHook(closer);
        brokers.forEach(KafkaBroker::launch);
        brokers.forEach(this::awaitService);
        admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                brokers.stream().map(KafkaBroker::internalAddress).collect(Collectors.joining(",")),
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                100));
    }

    /**
     * Starts a cluster, and returns when it serves clients; the caller closes it.
     *
     * @param brokers more than half of them must run, and of an even number the last does not count
     */
    public static KafkaCluster start(int brokers) {
        return new KafkaCluster(brokers, false, false);
    }

    /** Starts a cluster like {@link #start}, with a proxy between the clients and each broker. */
    public static KafkaCluster startProxied(int brokers) {
        return new KafkaCluster(brokers, true, false);
    }

    /** Starts a cluster like {@link #start}, whose clients need the password of a user, see {@link #login}. */
    public static KafkaCluster startWithPasswords(int brokers) {
        return new KafkaCluster(brokers, false, true);
    }

    /** Starts a cluster with proxies and passwords. Open connections outlive their password: reset them. */
    public static KafkaCluster startProxiedWithPasswords(int brokers) {
        return new KafkaCluster(brokers, true, true);
    }

    /** Returns the properties of a client that connects with a password. */
    public static Map<String, String> login(String user, String password) {
        return Map.of(
                "security.protocol",
                "SASL_PLAINTEXT",
                "sasl.mechanism",
                MECHANISM.mechanismName(),
                "sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"%s\" password=\"%s\";"
                        .formatted(user, password));
    }

    /** Sets the password of a user. */
    public void setPassword(String user, String password) {
        complete(admin.alterUserScramCredentials(List.of(
                        new UserScramCredentialUpsertion(user, new ScramCredentialInfo(MECHANISM, 4096), password)))
                .all());
    }

    /** Removes the password of a user; its connections end within a second or two. */
    public void removePassword(String user) {
        complete(admin.alterUserScramCredentials(List.of(new UserScramCredentialDeletion(user, MECHANISM)))
                .all());
    }

    /** Where clients find the cluster; stays the same. */
    public String bootstrapServers() {
        return brokers.stream().map(KafkaBroker::address).collect(Collectors.joining(","));
    }

    /** All brokers, by their numbers. */
    public List<KafkaBroker> brokers() {
        return List.copyOf(brokers);
    }

    /**
     * Broker of a number.
     *
     * @param id number from 1
     */
    public KafkaBroker broker(int id) {
        return brokers.get(id - 1);
    }

    /** Client for administration, past any proxy. The cluster closes it. */
    public Admin admin() {
        return admin;
    }

    /** Starts a broker that was killed, and returns when it serves clients again. */
    public void restart(KafkaBroker broker) {
        broker.launch();
        awaitService(broker);
    }

    /** Creates a topic, and returns when each of its partitions has a leader. */
    public void createTopic(String name, int partitions) {
        complete(admin.createTopics(List.of(new NewTopic(name, Optional.of(partitions), Optional.empty())))
                .all());
        for (int partition = 0; partition < partitions; partition++) {
            leader(name, partition);
        }
    }

    /** Creates a topic with a partition on each of some brokers, and on no other; its records have the time at which they were appended. */
    public void createTopic(String name, List<KafkaBroker> leaders) {
        Map<Integer, List<Integer>> replicas = IntStream.range(0, leaders.size())
                .boxed()
                .collect(Collectors.toMap(
                        Function.identity(),
                        (partition) -> List.of(leaders.get(partition).id())));
        complete(admin.createTopics(List.of(new NewTopic(name, replicas)
                        .configs(Map.of(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime"))))
                .all());
        for (int partition = 0; partition < leaders.size(); partition++) {
            leader(name, partition);
        }
    }

    /** Returns the leader of a partition, and waits while it has none that runs. */
    public KafkaBroker leader(String topic, int partition) {
        TopicPartition led = new TopicPartition(topic, partition);
        return await("there is a leader of " + led, () -> leaderOf(led));
    }

    /** Moves a partition to some brokers, which run, and returns when they have it and the others do not. */
    public void moveReplicas(String topic, int partition, List<KafkaBroker> replicas) {
        TopicPartition moved = new TopicPartition(topic, partition);
        List<Integer> ids = replicas.stream().map(KafkaBroker::id).toList();
        complete(admin.alterPartitionReassignments(Map.of(moved, Optional.of(new NewPartitionReassignment(ids))))
                .all());
        await(
                ids + " have " + moved,
                () -> admin.listPartitionReassignments(Set.of(moved))
                                .reassignments()
                                .get()
                                .isEmpty()
                        ? Optional.of(moved)
                        : Optional.empty());
    }

    /** Makes a broker the leader of a partition while the earlier leader runs. */
    public void moveLeader(String topic, int partition, KafkaBroker broker) {
        TopicPartition moved = new TopicPartition(topic, partition);
        List<KafkaBroker> replicas = new ArrayList<>(List.of(broker));
        brokers.stream().filter((other) -> other != broker).forEach(replicas::add);
        moveReplicas(topic, partition, replicas);
        await("broker " + broker.id() + " leads " + moved, () -> {
            // Refused until the broker has caught up, and once it leads.
            admin.electLeaders(ElectionType.PREFERRED, Set.of(moved))
                    .partitions()
                    .get();
            return leaderOf(moved).filter(broker::equals);
        });
    }

    private Optional<KafkaBroker> leaderOf(TopicPartition partition) throws ExecutionException, InterruptedException {
        Node leader = admin.describeTopics(List.of(partition.topic()))
                .topicNameValues()
                .values()
                .iterator()
                .next()
                .get()
                .partitions()
                .get(partition.partition())
                .leader();
        return brokers.stream()
                .filter(KafkaBroker::isRunning)
                .filter((broker) -> leader != null && broker.id() == leader.id())
                .findFirst();
    }

    private void awaitService(KafkaBroker broker) {
        // Clients log each refused connection, so there is none until the broker listens.
        await("broker " + broker.id() + " listens", broker::listens);
        try (Admin own = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.internalAddress()))) {
            await(
                    "broker " + broker.id() + " serves clients",
                    () -> own.describeCluster().nodes().get().stream()
                            .filter((node) -> node.id() == broker.id())
                            .findFirst());
        }
    }

    /** Asks until there is an answer; there is none while the cluster refuses. */
    private static <T> T await(String condition, Callable<Optional<T>> question) {
        return Awaitility.await(condition)
                .pollDelay(Duration.ZERO)
                .pollInterval(BETWEEN_LOOKS)
                .atMost(DEADLINE)
                .ignoreException(ExecutionException.class)
                .until(question, Optional::isPresent)
                .orElseThrow();
    }

    private static <T> T complete(KafkaFuture<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("The cluster refuses a command", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the cluster executes a command", e);
        }
    }

    /** Ends the processes and deletes their files. */
    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(closer);
        admin.close(Duration.ZERO);
        delete();
    }

    private void delete() {
        brokers.forEach(KafkaBroker::abandon);
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The files of the brokers could not be deleted", e);
        }
    }
}
