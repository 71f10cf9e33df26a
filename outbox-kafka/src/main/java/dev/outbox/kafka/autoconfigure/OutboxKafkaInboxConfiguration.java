package dev.outbox.kafka.autoconfigure;

import dev.outbox.HandlerConfigurationException;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.internal.schema.TableModule;
import dev.outbox.kafka.internal.forwarder.TopicCheck;
import dev.outbox.kafka.internal.inbox.Inbox;
import dev.outbox.kafka.internal.inbox.InboxMeter;
import dev.outbox.kafka.internal.inbox.InboxSettings;
import dev.outbox.kafka.internal.inbox.InboxTables;
import dev.outbox.kafka.internal.inbox.OffsetStore;
import dev.outbox.kafka.internal.inbox.PausedInboxes;
import dev.outbox.kafka.internal.inbox.ReceivedStore;
import dev.outbox.kafka.internal.inbox.StoredRecord;
import dev.outbox.kafka.internal.inbox.SupervisedInbox;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.transaction.PlatformTransactionManager;

/** Configures the inboxes, if there are any. */
@Configuration(proxyBeanMethods = false)
@Conditional(OnInboxes.class)
@Import(InboxHandlers.class)
@RegisterReflectionForBinding(StoredRecord.class)
class OutboxKafkaInboxConfiguration {

    @Bean
    static TableModule outboxKafkaTables() {
        return InboxTables.MODULE;
    }

    @Bean
    ReceivedStore outboxKafkaReceived(RuntimeSettings settings, OutboxDependencies dependencies) {
        return new ReceivedStore(
                dependencies.dataSource(),
                settings.schemas().outbox(),
                settings.schemas().archive());
    }

    @Bean
    Inboxes outboxKafkaInboxes(
            OutboxKafkaProperties properties,
            RuntimeSettings settings,
            OutboxDependencies dependencies,
            ReceivedStore received,
            ObjectProvider<OutboxRuntime> runtime,
            ObjectProvider<OutboxPublisher> publishers,
            ObjectProvider<InboxMeter> meters) {
        PlatformTransactionManager manager = dependencies
                .transactions()
                .get()
                .orElseThrow(() -> new HandlerConfigurationException(ConfiguredInboxes.PREFIX
                        + " needs a transaction manager of the outbox's DataSource, and there is none"));
        Inbox.Outbox outbox = new Inbox.Outbox(
                publishers.getObject(),
                received,
                manager,
                (type, aggregateType, stream) ->
                        runtime.getObject().hasSubscribersOfReceived(type, aggregateType, stream),
                settings.publisher().maxPayloadSize());
        OffsetStore offsets =
                new OffsetStore(dependencies.dataSource(), settings.schemas().outbox());
        InboxMeter meter = meters.getIfAvailable(() -> InboxMeter.NONE);
        return new Inboxes(ConfiguredInboxes.of(
                        properties.inboxes(), settings.polling().streams().keySet())
                .stream()
                .map((inbox) -> new Inbox(inbox, outbox, offsets, meter))
                .toList());
    }

    @Bean
    InboxLifecycle outboxKafkaInboxLifecycle(
            Inboxes inboxes,
            RuntimeSettings settings,
            OutboxDependencies dependencies,
            Environment environment,
            ObjectProvider<ConsumerFactory<?, ?>> factories) {
        ConsumerFactory<?, ?> application = factories.getIfUnique();
        if (application == null) {
            throw new HandlerConfigurationException(ConfiguredInboxes.PREFIX
                    + " needs one ConsumerFactory that tells how to connect to Kafka; mark one with @Primary");
        }
        String name = environment.getProperty("spring.application.name", "outbox");
        return new InboxLifecycle(
                inboxes.all().stream()
                        .map((inbox) -> new SupervisedInbox(
                                inbox, consumers(application, inbox.settings(), name), dependencies.nanos()))
                        .toList(),
                new PausedInboxes(
                        dependencies.dataSource(),
                        settings.schemas().outbox(),
                        inboxes.all().stream().map(Inbox::settings).toList()),
                topicCheck(application, inboxes, name),
                settings.polling().enabled());
    }

    private static TopicCheck topicCheck(ConsumerFactory<?, ?> application, Inboxes inboxes, String name) {
        Map<String, Object> values = new HashMap<>(application.getConfigurationProperties());
        values.put(ConsumerConfig.CLIENT_ID_CONFIG, name + "-kafka-inbox");
        Map<String, String> topics = new HashMap<>();
        inboxes.all().stream()
                .map(Inbox::settings)
                .forEach((inbox) -> inbox.source()
                        .topics()
                        .forEach((topic) -> topics.put(
                                ConfiguredInboxes.PREFIX + "." + inbox.name() + ".topics[" + topic + "]", topic)));
        return new TopicCheck(values, topics);
    }

    /** Not a bean of type ConsumerFactory, because the application's own beans look for one. */
    private static ConsumerFactory<byte[], byte[]> consumers(
            ConsumerFactory<?, ?> application, InboxSettings inbox, String name) {
        Map<String, Object> values = new HashMap<>(application.getConfigurationProperties());
        values.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        values.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        values.put(ConsumerConfig.CLIENT_ID_CONFIG, name + "-" + inbox.handlerId());
        values.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        values.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        values.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        DefaultKafkaConsumerFactory<byte[], byte[]> factory = new DefaultKafkaConsumerFactory<>(values);
        factory.setBeanName("outboxKafkaConsumers." + inbox.name());
        copy(application, factory);
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
            return registry == null ? InboxMeter.NONE : new InboxMeters(registry);
        }
    }
}
