package dev.outbox.kafka.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxPublisher;
import dev.outbox.forwarding.autoconfigure.ConditionalOnNames;
import dev.outbox.forwarding.internal.NamedBean;
import dev.outbox.forwarding.internal.received.ReceivedStore;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.internal.schema.TableModule;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.kafka.InboxRecordMapper;
import dev.outbox.kafka.internal.cloudevents.CloudEventReader;
import dev.outbox.kafka.internal.inbox.Inbox;
import dev.outbox.kafka.internal.inbox.InboxConsumer;
import dev.outbox.kafka.internal.inbox.InboxMeter;
import dev.outbox.kafka.internal.inbox.Inboxes;
import dev.outbox.kafka.internal.inbox.OffsetStore;
import dev.outbox.kafka.internal.inbox.StoredRecord;
import dev.outbox.kafka.internal.inbox.TopicIds;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.internal.OperationsRuntime;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.transaction.PlatformTransactionManager;

/** Configures the inboxes, if there are any. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnNames(ConfiguredInboxes.PREFIX)
@ConditionalOnClass(OutboxOperations.class)
@RegisterReflectionForBinding(StoredRecord.class)
class OutboxKafkaInboxConfiguration {

    @Bean
    static TableModule outboxReceivedTables() {
        return ReceivedStore.TABLES;
    }

    @Bean
    static TableModule outboxKafkaTables() {
        return Inbox.TABLES;
    }

    @Bean
    Inboxes outboxKafkaInboxes(
            OutboxKafkaProperties properties,
            RuntimeSettings settings,
            OutboxDependencies dependencies,
            ObjectProvider<OutboxRuntime> runtime,
            ObjectProvider<OperationsRuntime> operator,
            ObjectProvider<OutboxPublisher> publishers,
            ObjectProvider<InboxMeter> meters,
            BeanFactory beans) {
        PlatformTransactionManager manager = dependencies
                .transactions()
                .get()
                .orElseThrow(() -> new OutboxConfigurationException(ConfiguredInboxes.PREFIX
                        + " needs a transaction manager of the outbox's DataSource, and there is none"));
        OutboxSchema schema = settings.schemas().outbox();
        Inbox.Outbox outbox = new Inbox.Outbox(
                publishers.getObject(),
                new ReceivedStore(
                        dependencies.dataSource(), schema, settings.schemas().archive()),
                new OffsetStore(dependencies.dataSource(), schema),
                manager,
                (type, aggregateType, stream) ->
                        runtime.getObject().hasSubscribersOfReceived(type, aggregateType, stream),
                (handlerId, reason) -> operator.getObject().operations().pauseHandler(handlerId, "outbox", reason),
                meters.getIfAvailable(() -> InboxMeter.NONE),
                settings.publisher().maxPayloadSize());
        Map<String, Inbox> inboxes = new HashMap<>();
        ConfiguredInboxes.of(properties.inboxes(), settings.polling().streams().keySet())
                .forEach((name, inbox) -> {
                    InboxRecordMapper mapper = inbox.mapper() == null
                            ? new CloudEventReader()
                            : NamedBean.get(
                                    beans,
                                    ConfiguredInboxes.PREFIX + "." + name + ".mapper",
                                    inbox.mapper(),
                                    InboxRecordMapper.class);
                    inboxes.put(name, new Inbox(name, inbox, mapper, outbox));
                });
        return new Inboxes(inboxes);
    }

    @Bean
    InboxLifecycle outboxKafkaInboxLifecycle(
            Inboxes inboxes,
            RuntimeSettings settings,
            OutboxDependencies dependencies,
            OutboxRuntime runtime,
            Environment environment,
            ObjectProvider<ConsumerFactory<?, ?>> factories) {
        ConsumerFactory<?, ?> application = factories.getIfUnique();
        if (application == null) {
            throw new OutboxConfigurationException(ConfiguredInboxes.PREFIX
                    + " needs one ConsumerFactory that tells how to connect to Kafka; mark one with @Primary");
        }
        String name = environment.getProperty("spring.application.name", "outbox");
        List<InboxConsumer> consumers = new ArrayList<>();
        inboxes.all().values().forEach((inbox) -> {
            for (int number = 0; number < inbox.settings().concurrency(); number++) {
                String suffix = "-" + number;
                Map<String, Object> config = config(application, name, inbox, suffix);
                TopicIds topicIds = new TopicIds(config, suffix);
                ConsumerFactory<byte[], byte[]> factory = consumers(application, inbox, config, topicIds);
                consumers.add(new InboxConsumer(
                        inbox,
                        number,
                        dependencies.dataSource(),
                        topicIds,
                        () -> factory.createConsumer(inbox.settings().group(), suffix)));
            }
        });
        InboxLifecycle lifecycle =
                new InboxLifecycle(consumers, settings.polling().enabled());
        runtime.setInboxes(inboxes.topics(), lifecycle::named);
        return lifecycle;
    }

    private static Map<String, Object> config(
            ConsumerFactory<?, ?> application, String name, Inbox inbox, String suffix) {
        Map<String, Object> values = new HashMap<>(application.getConfigurationProperties());
        values.put(ConsumerConfig.CLIENT_ID_CONFIG, name + "-" + inbox.handlerId());
        values.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        values.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        values.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        values.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        // A static member of a group is one consumer: a second one with its id would fence it.
        values.computeIfPresent(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, (key, id) -> id + "-" + inbox.name() + suffix);
        return values;
    }

    /** Not a bean of type ConsumerFactory, because the application's own beans look for one. */
    private static ConsumerFactory<byte[], byte[]> consumers(
            ConsumerFactory<?, ?> application, Inbox inbox, Map<String, Object> config, TopicIds topicIds) {
        DefaultKafkaConsumerFactory<byte[], byte[]> factory =
                new DefaultKafkaConsumerFactory<>(config, () -> topicIds, ByteArrayDeserializer::new);
        factory.setBeanName("outboxKafkaConsumers." + inbox.name());
        copy(application, factory);
        BootstrapServers.follow(application::getConfigurationProperties, config, factory);
        return factory;
    }

    /** Copies what observes consumers, such as meters. */
    @SuppressWarnings("unchecked") // a listener or post processor takes consumers of any type
    private static void copy(ConsumerFactory<?, ?> from, DefaultKafkaConsumerFactory<byte[], byte[]> to) {
        ConsumerFactory<byte[], byte[]> application = (ConsumerFactory<byte[], byte[]>) from;
        application.getListeners().forEach(to::addListener);
        application.getPostProcessors().forEach(to::addPostProcessor);
    }

    @Bean
    static LazyInitializationExcludeFilter outboxKafkaInboxStartsEagerly() {
        return LazyInitializationExcludeFilter.forBeanTypes(InboxLifecycle.class);
    }

    /** Counts records if the application has a meter registry. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Meters {

        @Bean
        InboxMeter outboxKafkaInboxMeter(ObjectProvider<MeterRegistry> registries) {
            MeterRegistry registry = registries.getIfUnique();
            return registry == null
                    ? InboxMeter.NONE
                    : (inbox, result, records) -> Counter.builder("outbox.kafka.inbox")
                            .description("Records of an inbox by what became of them")
                            .tag("inbox", inbox)
                            .tag("result", result.name().toLowerCase(Locale.ROOT))
                            .register(registry)
                            .increment((double) records);
        }
    }
}
