package dev.outbox.kafka.autoconfigure;

import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.kafka.KafkaRecordMapper;
import dev.outbox.kafka.internal.forwarder.ProducerSettings;
import dev.outbox.kafka.internal.forwarder.RecordFactory;
import dev.outbox.kafka.internal.forwarder.RecordSender;
import dev.outbox.kafka.internal.forwarder.RouteFaults;
import dev.outbox.kafka.internal.forwarder.Routes;
import dev.outbox.kafka.internal.forwarder.SharedProducer;
import dev.outbox.kafka.internal.forwarder.TopicCheck;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;

/** Configures the forwarding of events, if there are routes. */
@Configuration(proxyBeanMethods = false)
@Conditional(OnRoutes.class)
@Import(RouteHandlers.class)
class ForwarderConfiguration {

    private static final int CLOSE_TIMEOUT_SECONDS = 5;

    @Bean
    Routes outboxKafkaRoutes(OutboxKafkaProperties properties, RuntimeSettings settings) {
        return ConfiguredRoutes.of(
                properties.routes(), settings.polling().streams().keySet());
    }

    @Bean
    RecordFactory outboxKafkaRecords(
            OutboxKafkaProperties properties, Environment environment, ObjectProvider<KafkaRecordMapper> mappers) {
        String source =
                ConfiguredRoutes.source(properties.source(), environment.getProperty("spring.application.name"));
        return new RecordFactory(source, mappers.getIfAvailable(() -> (event, proposed) -> proposed));
    }

    @Bean
    ProducerSettings outboxKafkaProducerSettings(
            OutboxKafkaProperties properties, Environment environment, ProducerFactory<?, ?> factory) {
        Map<String, Object> application = factory.getConfigurationProperties();
        Object clientId = application.get(ProducerConfig.CLIENT_ID_CONFIG);
        String name = clientId != null ? clientId.toString() : environment.getProperty("spring.application.name", "");
        return new ProducerSettings(
                application, properties.producer().properties(), name.isBlank() ? "outbox" : name + "-outbox");
    }

    /** Not a bean of type ProducerFactory, because the application's own beans look for one. */
    @Bean(destroyMethod = "close")
    SharedProducer outboxKafkaProducer(ProducerSettings settings, ProducerFactory<?, ?> application) {
        DefaultKafkaProducerFactory<Object, Object> factory = new DefaultKafkaProducerFactory<>(settings.values());
        factory.setBeanName("outboxKafkaProducer");
        factory.setPhysicalCloseTimeout(CLOSE_TIMEOUT_SECONDS);
        copy(application, factory);
        return new SharedProducer(factory::createProducer, factory::reset);
    }

    /** Copies what observes producers, such as meters. */
    @SuppressWarnings("unchecked") // a listener or post processor takes producers of any type
    private static void copy(ProducerFactory<?, ?> from, DefaultKafkaProducerFactory<Object, Object> to) {
        ProducerFactory<Object, Object> application = (ProducerFactory<Object, Object>) from;
        application.getListeners().forEach(to::addListener);
        application.getPostProcessors().forEach(to::addPostProcessor);
    }

    @Bean
    RecordSender outboxKafkaSender(SharedProducer producer, ProducerSettings settings) {
        return new RecordSender(producer, settings.patience(), System::nanoTime);
    }

    @Bean
    RouteFaults outboxKafkaRouteFaults() {
        return new RouteFaults(System::nanoTime);
    }

    @Bean
    ForwarderLifecycle outboxKafkaLifecycle(Routes routes, SharedProducer producer, ProducerSettings settings) {
        Map<String, String> topics = routes.all().stream()
                .collect(Collectors.toMap((route) -> route.property() + ".topic", (route) -> route.topic()));
        return new ForwarderLifecycle(routes, producer, new TopicCheck(settings.values(), topics));
    }

    @Bean
    static LazyInitializationExcludeFilter outboxKafkaStartsEagerly() {
        return LazyInitializationExcludeFilter.forBeanTypes(ForwarderLifecycle.class);
    }
}
