package dev.outbox.messaging.autoconfigure;

import dev.outbox.forwarding.autoconfigure.ConditionalOnNames;
import dev.outbox.forwarding.autoconfigure.Forwarding;
import dev.outbox.forwarding.autoconfigure.OutboxForwardingAutoConfiguration;
import dev.outbox.forwarding.autoconfigure.RouteHandlers;
import dev.outbox.forwarding.autoconfigure.RouteLifecycle;
import dev.outbox.forwarding.internal.MessageTarget;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.messaging.internal.channel.ChannelMessage;
import dev.outbox.messaging.internal.channel.ChannelMessages;
import dev.outbox.messaging.internal.channel.ChannelTarget;
import java.time.Duration;
import org.springframework.beans.factory.BeanFactory;
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
import org.springframework.messaging.MessageChannel;

/** Configures the routes to message channels of an application that has an outbox. */
@AutoConfiguration(after = OutboxForwardingAutoConfiguration.class)
@ConditionalOnBean(OutboxRuntime.class)
@EnableConfigurationProperties(OutboxChannelProperties.class)
public final class OutboxChannelAutoConfiguration {

    /** A send that blocks has not failed, and no other connection would help: its event waits, and is reported. */
    private static final Duration LONGEST_SEND = Duration.ofDays(1);

    @Bean
    SmartInitializingSingleton outboxChannelReport(OutboxChannelProperties properties, BeanFactory beans) {
        return () -> RouteHandlers.require(
                beans, ChannelRoutes.CHANNEL, properties.routes().keySet());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MessageChannel.class)
    @ConditionalOnNames(ChannelRoutes.PREFIX)
    @Import(ChannelRoutes.class)
    static class Routes {

        @Bean
        RouteLifecycle outboxChannelLifecycle(
                Forwarding forwarding,
                OutboxChannelProperties properties,
                BeanFactory beans,
                ObjectProvider<MessageTarget<ChannelMessage>> testTarget) {
            String source = forwarding.source();
            return forwarding.routes(
                    ChannelRoutes.CHANNEL,
                    properties.routes(),
                    testTarget.getIfAvailable(() -> new ChannelTarget(properties.routes(), beans)),
                    LONGEST_SEND,
                    (name, route) -> {
                        ChannelTarget.check(name, route);
                        return new ChannelMessages(name, route, source);
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.messaging.MessageChannel")
    @ConditionalOnNames(ChannelRoutes.PREFIX)
    static class RoutesWithoutMessaging {

        @Bean
        static BeanFactoryPostProcessor outboxChannelRoutesWithoutMessaging() {
            return RouteHandlers.withoutLibrary(
                    ChannelRoutes.CHANNEL,
                    "Spring Messaging",
                    "org.springframework.boot:spring-boot-starter-integration");
        }
    }
}
