package dev.outbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.springframework.kafka.test.EmbeddedKafkaBroker;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/** The one broker of this JVM, started by the first call. It creates no topics by itself. */
public final class TestKafka {

    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int PARTITIONS = 3;

    private static final EmbeddedKafkaBroker BROKER = start();

    private TestKafka() {}

    private static EmbeddedKafkaBroker start() {
        EmbeddedKafkaBroker broker = new EmbeddedKafkaKraftBroker(1, PARTITIONS)
                .brokerProperties(Map.of(
                        "auto.create.topics.enable",
                        "false",
                        "authorizer.class.name",
                        "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "allow.everyone.if.no.acl.found",
                        "true",
                        "transaction.state.log.replication.factor",
                        "1",
                        "transaction.state.log.min.isr",
                        "1"));
        broker.afterPropertiesSet();
        Runtime.getRuntime().addShutdownHook(new Thread(broker::destroy, "test-kafka-stop"));
        return broker;
    }

    public static String bootstrapServers() {
        return BROKER.getBrokersAsString();
    }

    /** Creates a topic with three partitions. */
    public static void createTopic(String name, Map<String, String> config) {
        BROKER.addTopics(new NewTopic(name, PARTITIONS, (short) 1).configs(config));
    }

    public static void createTopic(String name, int partitions) {
        withAdmin((admin) -> admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                .all());
    }

    /** Deletes a topic, and waits until the broker has forgotten it. */
    public static void deleteTopic(String name) {
        withAdmin((admin) -> admin.deleteTopics(List.of(name)).all());
        await().atMost(DEADLINE).until(() -> {
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
                return !admin.listTopics().names().get().contains(name);
            }
        });
    }

    public static void addPartitions(String topic, int total) {
        withAdmin((admin) -> admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(total)))
                .all());
    }

    /** Removes the records of the first partition before an offset, as retention does. */
    public static void deleteRecords(String topic, long beforeOffset) {
        withAdmin((admin) -> admin.deleteRecords(
                        Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(beforeOffset)))
                .all());
    }

    /** Denies all clients to write a topic. */
    public static void denyWrites(String topic) {
        withAdmin((admin) -> admin.createAcls(List.of(denial(topic))).all());
    }

    /** Permits all clients to write a topic again. */
    public static void permitWrites(String topic) {
        withAdmin((admin) -> admin.deleteAcls(List.of(denial(topic).toFilter())).all());
    }

    /** Changes the configuration of a topic. */
    public static void configure(String topic, String key, String value) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        AlterConfigOp change = new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET);
        withAdmin((admin) ->
                admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all());
    }

    private static AclBinding denial(String topic) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new AccessControlEntry("User:*", "*", AclOperation.WRITE, AclPermissionType.DENY));
    }

    private static void withAdmin(Function<Admin, KafkaFuture<?>> call) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
            call.apply(admin).get();
        } catch (InterruptedException | ExecutionException ex) {
            throw new AssertionError(ex);
        }
    }

    /** Reads a topic from its beginning until it has that many records of a kind; fails after 30 seconds. */
    public static List<ConsumerRecord<String, String>> read(
            String topic, int count, Predicate<ConsumerRecord<String, String>> kind) {
        return read(Map.of("bootstrap.servers", bootstrapServers()), topic, count, kind);
    }

    /** Reads like {@link #read}, with the configuration of another consumer. */
    public static List<ConsumerRecord<String, String>> read(
            Map<String, Object> config, String topic, int count, Predicate<ConsumerRecord<String, String>> kind) {
        List<ConsumerRecord<String, String>> found = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map((partition) -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long deadline = System.nanoTime() + DEADLINE.toNanos();
            while (found.size() < count) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("found " + found.size() + " of " + count + " records: " + found);
                }
                consumer.poll(Duration.ofMillis(100)).forEach((record) -> {
                    if (kind.test(record)) {
                        found.add(record);
                    }
                });
            }
        }
        return found;
    }

    /** Returns the sequences of each aggregate in the order of first occurrences. */
    static Map<String, List<Integer>> sequences(List<ConsumerRecord<String, String>> records) {
        Set<String> ids = new HashSet<>();
        return records.stream()
                .filter((record) -> ids.add(header(record, "ce_id")))
                .collect(Collectors.groupingBy(
                        ConsumerRecord::key,
                        Collectors.mapping(
                                (record) -> Integer.parseInt(header(record, "ce_sequence")), Collectors.toList())));
    }

    static String header(ConsumerRecord<?, ?> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }
}
