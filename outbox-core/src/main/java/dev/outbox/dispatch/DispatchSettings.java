package dev.outbox.dispatch;

import dev.outbox.HandlerDefinition;
import dev.outbox.OnDead;
import dev.outbox.retry.RetryPolicy;
import java.util.Map;

/**
 * How handlers are treated.
 *
 * @param retry when failed deliveries are tried again
 * @param handlers what is special about some handlers, by id
 */
public record DispatchSettings(RetryPolicies retry, Map<String, HandlerSettings> handlers) {

    /** Copies the map. */
    public DispatchSettings {
        handlers = Map.copyOf(handlers);
    }

    /**
     * Returns the default: the default retry policy for all, and nothing special about any handler.
     *
     * @return the default settings
     */
    public static DispatchSettings defaults() {
        return new DispatchSettings(new RetryPolicies(RetryPolicy.defaults(), Map.of(), Map.of()), Map.of());
    }

    /**
     * Finds what is special about a handler.
     *
     * @param handlerId the handler
     * @return its settings
     */
    public HandlerSettings of(String handlerId) {
        return handlers.getOrDefault(handlerId, HandlerSettings.NONE);
    }

    boolean blocksWhenDead(HandlerDefinition handler) {
        OnDead configured = of(handler.id()).onDead();
        return (configured != null ? configured : handler.onDead()) == OnDead.BLOCK;
    }
}
