package dev.outbox.kafka.autoconfigure;

import dev.outbox.forwarding.autoconfigure.OutboxForwardingProperties;
import dev.outbox.forwarding.internal.ForwardingHandler;
import dev.outbox.forwarding.internal.RouteFaults;
import dev.outbox.forwarding.internal.Sender;
import dev.outbox.forwarding.internal.ServiceSource;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.kafka.KafkaRecordMapper;
import dev.outbox.kafka.internal.forwarder.KafkaTarget;
import dev.outbox.kafka.internal.forwarder.ProducerSettings;
import dev.outbox.kafka.internal.forwarder.RecordFactory;
import dev.outbox.kafka.internal.forwarder.Route;
import dev.outbox.kafka.internal.forwarder.SharedProducer;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;

/** Configures the forwarding of events, if there are routes. */
@Configuration(proxyBeanMethods = false)
@Conditional(OnNames.Routes.class)
class ForwarderConfiguration {

    private static final int CLOSE_TIMEOUT_SECONDS = 5;

    /** Not beans of type ProducerFactory, because the application's own beans look for one. */
    @Bean
    @ConditionalOnMissingBean
    SharedProducer.Factory outboxKafkaProducers(ProducerFactory<?, ?> application) {
        return (settings) -> {
            DefaultKafkaProducerFactory<Object, Object> factory = new DefaultKafkaProducerFactory<>(settings.values());
            factory.setBeanName("outboxKafkaProducer");
            factory.setPhysicalCloseTimeout(CLOSE_TIMEOUT_SECONDS);
            copy(application, factory);
            BootstrapServers.follow(application::getConfigurationProperties, settings.values(), factory);
            return new SharedProducer(factory::createProducer, factory::reset);
        };
    }

    /** Copies what observes producers, such as meters. */
    @SuppressWarnings("unchecked") // a listener or post processor takes producers of any type
    private static void copy(ProducerFactory<?, ?> from, DefaultKafkaProducerFactory<Object, Object> to) {
        ProducerFactory<Object, Object> application = (ProducerFactory<Object, Object>) from;
        application.getListeners().forEach(to::addListener);
        application.getPostProcessors().forEach(to::addPostProcessor);
    }

    @Bean
    RouteFaults outboxKafkaRouteFaults() {
        return new RouteFaults("Kafka", System::nanoTime);
    }

    @Bean(destroyMethod = "stop")
    ForwarderLifecycle outboxKafkaLifecycle(
            OutboxKafkaProperties properties,
            OutboxForwardingProperties forwarding,
            RuntimeSettings settings,
            OutboxDependencies dependencies,
            Environment environment,
            ProducerFactory<?, ?> application,
            SharedProducer.Factory producers,
            RouteFaults faults,
            BeanFactory beans) {
        String name = environment.getProperty("spring.application.name", "");
        String source = ConfiguredRoutes.source(forwarding.source(), name);
        ServiceSource stored = new ServiceSource(
                source, dependencies.dataSource(), settings.schemas().outbox());
        Map<String, Object> connection = application.getConfigurationProperties();
        String client = String.valueOf(connection.getOrDefault(ProducerConfig.CLIENT_ID_CONFIG, name));
        ProducerSettings values = new ProducerSettings(
                connection,
                properties.producer().properties(),
                client.isBlank() ? "outbox" : client + "-outbox",
                settings.publisher().maxPayloadSize());
        SharedProducer producer = producers.create(values);
        Sender<ProducerRecord<Object, Object>> sender =
                new Sender<>(new KafkaTarget(producer), values.patience(), System::nanoTime);
        Map<String, ForwarderLifecycle.Named> handlers = new HashMap<>();
        ConfiguredRoutes.of(properties.routes(), settings.polling().streams().keySet())
                .forEach((routeName, route) -> handlers.put(
                        routeName,
                        new ForwarderLifecycle.Named(
                                route,
                                new ForwardingHandler<>(
                                        routeName,
                                        new RecordFactory(source, route, mapper(route, beans), Clock.systemUTC()),
                                        sender,
                                        faults,
                                        stored::require,
                                        System::nanoTime))));
        return new ForwarderLifecycle(handlers, producer, stored);
    }

    private static KafkaRecordMapper mapper(Route route, BeanFactory beans) {
        return route.mapper() == null
                ? beans.getBeanProvider(KafkaRecordMapper.class).getIfAvailable(() -> (event, proposed) -> proposed)
                : beans.getBean(route.mapper(), KafkaRecordMapper.class);
    }

    @Bean
    static LazyInitializationExcludeFilter outboxKafkaStartsEagerly() {
        return LazyInitializationExcludeFilter.forBeanTypes(ForwarderLifecycle.class);
    }
}
