package dev.outbox.messaging.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.autoconfigure.ConditionalOnNames;
import dev.outbox.forwarding.autoconfigure.Forwarding;
import dev.outbox.forwarding.autoconfigure.OutboxForwardingAutoConfiguration;
import dev.outbox.forwarding.autoconfigure.RouteHandlers;
import dev.outbox.forwarding.autoconfigure.RouteLifecycle;
import dev.outbox.forwarding.internal.MessageTarget;
import dev.outbox.forwarding.internal.NamedBean;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.messaging.internal.rabbit.RabbitMessage;
import dev.outbox.messaging.internal.rabbit.RabbitTarget;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Configures the routes to RabbitMQ of an application that has an outbox. */
@AutoConfiguration(
        after = {OutboxAutoConfiguration.class, OutboxForwardingAutoConfiguration.class},
        afterName = "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration")
@ConditionalOnBean(OutboxRuntime.class)
@EnableConfigurationProperties(OutboxRabbitProperties.class)
public final class OutboxRabbitAutoConfiguration {

    /** Longer than a client needs to notice a broker without heartbeats. */
    private static final Duration LONGEST_SEND = Duration.ofMinutes(3);

    @Bean
    SmartInitializingSingleton outboxRabbitHandlers(OutboxRabbitProperties properties, BeanFactory beans) {
        return () -> RouteHandlers.require(
                beans, RabbitRoutes.RABBIT, properties.routes().keySet());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RabbitTemplate.class)
    @ConditionalOnNames(RabbitRoutes.PREFIX)
    @Import(RabbitRoutes.class)
    static class Routes {

        @Bean
        RouteLifecycle outboxRabbitLifecycle(
                Forwarding forwarding,
                OutboxRabbitProperties properties,
                BeanFactory beans,
                ObjectProvider<MessageTarget<RabbitMessage>> testTarget) {
            MessageTarget<RabbitMessage> target = testTarget.getIfAvailable(() -> target(properties.template(), beans));
            String source = forwarding.source();
            return forwarding.routes(
                    RabbitRoutes.RABBIT,
                    properties.routes(),
                    target,
                    LONGEST_SEND,
                    (name, route) -> RabbitRoutes.messages(source, name, route));
        }

        private static RabbitTarget target(@Nullable String name, BeanFactory beans) {
            RabbitTemplate template = name == null
                    ? only(beans)
                    : NamedBean.get(beans, RabbitRoutes.TEMPLATE, name, RabbitTemplate.class);
            RabbitRoutes.requireOutcomes(template);
            return new RabbitTarget(template);
        }

        private static RabbitTemplate only(BeanFactory beans) {
            try {
                return beans.getBean(RabbitTemplate.class);
            } catch (NoUniqueBeanDefinitionException ex) {
                throw new OutboxConfigurationException(
                        RabbitRoutes.PREFIX + " needs one RabbitTemplate, and this application has several: "
                                + ex.getBeanNamesFound(),
                        "name one in " + RabbitRoutes.TEMPLATE,
                        ex);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.amqp.rabbit.core.RabbitTemplate")
    @ConditionalOnNames(RabbitRoutes.PREFIX)
    static class RoutesWithoutRabbit {

        @Bean
        static BeanFactoryPostProcessor outboxRabbitRoutesWithoutRabbit() {
            return RouteHandlers.withoutLibrary(
                    RabbitRoutes.RABBIT, "Spring AMQP", "org.springframework.boot:spring-boot-starter-amqp");
        }
    }
}
