package dev.outbox.kafka.autoconfigure;

import dev.outbox.forwarding.autoconfigure.ConditionalOnNames;
import dev.outbox.forwarding.autoconfigure.Forwarding;
import dev.outbox.forwarding.autoconfigure.RouteLifecycle;
import dev.outbox.forwarding.internal.NamedBean;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.kafka.KafkaRecordMapper;
import dev.outbox.kafka.internal.forwarder.KafkaTarget;
import dev.outbox.kafka.internal.forwarder.ProducerSettings;
import dev.outbox.kafka.internal.forwarder.RecordFactory;
import dev.outbox.kafka.internal.forwarder.Route;
import dev.outbox.kafka.internal.forwarder.SharedProducer;
import java.time.Clock;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;

/** Configures the forwarding of events, if there are routes. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnNames(KafkaRoutes.PREFIX)
class ForwarderConfiguration {

    private static final int CLOSE_TIMEOUT_SECONDS = 1;

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
    RouteLifecycle outboxKafkaLifecycle(
            Forwarding forwarding,
            OutboxKafkaProperties properties,
            RuntimeSettings settings,
            Environment environment,
            ProducerFactory<?, ?> application,
            SharedProducer.Factory producers,
            BeanFactory beans) {
        String source = forwarding.source();
        Map<String, Object> connection = application.getConfigurationProperties();
        String client = String.valueOf(connection.getOrDefault(
                ProducerConfig.CLIENT_ID_CONFIG, environment.getProperty("spring.application.name", "")));
        ProducerSettings values = new ProducerSettings(
                connection,
                properties.producer().properties(),
                client.isBlank() ? "outbox" : client + "-outbox",
                settings.publisher().maxPayloadSize());
        return forwarding.routes(
                KafkaRoutes.KAFKA,
                properties.routes(),
                new KafkaTarget(producers.create(values)),
                values.patience(),
                (name, route) -> {
                    KafkaRoutes.requireTopic(name, route);
                    return new RecordFactory(source, route, mapper(name, route, beans), Clock.systemUTC());
                });
    }

    private static KafkaRecordMapper mapper(String name, Route route, BeanFactory beans) {
        return route.mapper() == null
                ? beans.getBeanProvider(KafkaRecordMapper.class).getIfAvailable(() -> (event, proposed) -> proposed)
                : NamedBean.get(
                        beans, KafkaRoutes.KAFKA.property(name) + ".mapper", route.mapper(), KafkaRecordMapper.class);
    }
}
