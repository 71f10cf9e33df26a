package dev.outbox.spring.autoconfigure.endpoint;

import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.spring.autoconfigure.OutboxProperties;
import dev.outbox.spring.autoconfigure.operations.OutboxOperationsAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Offers the actuator endpoint {@code outbox} if it is exposed. */
@AutoConfiguration(after = OutboxOperationsAutoConfiguration.class)
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(OutboxInspector.class)
public final class OutboxEndpointAutoConfiguration {

    @Bean
    UnknownValues outboxEndpointUnknownValues() {
        return new UnknownValues();
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    OutboxEndpoint outboxEndpoint(
            OutboxInspector inspector,
            OutboxOperations operations,
            Replays replays,
            ScheduledEvents scheduled,
            OutboxProperties properties) {
        return new OutboxEndpoint(
                new EndpointReads(
                        inspector,
                        operations,
                        replays,
                        scheduled,
                        properties.endpoint().showPayloads()),
                new EndpointWrites(operations, replays, scheduled),
                properties.authorities().rights(),
                properties.endpoint().allowAnonymousWrites());
    }
}
