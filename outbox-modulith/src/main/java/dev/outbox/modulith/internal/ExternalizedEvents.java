package dev.outbox.modulith.internal;

import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.BrokerRouting;
import org.springframework.util.Assert;
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
        String target = BrokerRouting.of(configuration.determineTarget(event), expressions)
                .getTarget(event);
        Assert.hasText(target, "the target must not be blank");
        return target;
    }

    /**
     * Returns the event to store. Without a key, it needs no order. Throws an {@link InvalidEventException} if the target or the key cannot be
     * determined.
     */
    public OutboxEvent read(Object event) {
        try {
            String target = targetOf(event);
            String key = keyOf(event);
            return StringUtils.hasText(key) ? OutboxEvent.of(target, key, event) : OutboxEvent.unordered(event);
        } catch (RuntimeException ex) {
            throw new InvalidEventException(
                    "the target or key of the externalized event "
                            + event.getClass().getName()
                            + " cannot be determined; correct its expressions, which see the event before any mapping",
                    ex);
        }
    }

    private @Nullable String keyOf(Object event) {
        RoutingTarget target = configuration.determineTarget(event);
        // A routing with an expression as target and no key returns the target as key.
        return target.getKey() == null
                ? null
                : BrokerRouting.of(target, expressions).getKey(event);
    }
}
