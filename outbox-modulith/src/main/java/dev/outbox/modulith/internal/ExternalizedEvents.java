package dev.outbox.modulith.internal;

import dev.outbox.OutboxEvent;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.BrokerRouting;
import org.springframework.util.StringUtils;

/** Decides how the outbox stores an event that Spring Modulith externalizes: its target is the aggregate type, its key the aggregate id. */
public final class ExternalizedEvents {

    private final EventExternalizationConfiguration configuration;
    private final StandardEvaluationContext expressions = new StandardEvaluationContext();

    public ExternalizedEvents(EventExternalizationConfiguration configuration, BeanFactory beans) {
        this.configuration = configuration;
        expressions.setBeanResolver(new BeanFactoryResolver(beans));
    }

    /** Returns whether the application externalizes the event. */
    public boolean supports(Object event) {
        return configuration.supports(event);
    }

    /** Returns where the event goes. */
    String targetOf(Object event) {
        return BrokerRouting.of(configuration.determineTarget(event), expressions)
                .getTarget(event);
    }

    /** Returns the event to store. Without a key, it needs no order. */
    public OutboxEvent read(Object event) {
        RoutingTarget target = configuration.determineTarget(event);
        BrokerRouting routing = BrokerRouting.of(target, expressions);
        // A routing with an expression as target and no key returns the target as key.
        @Nullable String key = target.getKey() == null ? null : routing.getKey(event);
        return StringUtils.hasText(key)
                ? OutboxEvent.of(routing.getTarget(event), key, event)
                : OutboxEvent.unordered(event);
    }
}
