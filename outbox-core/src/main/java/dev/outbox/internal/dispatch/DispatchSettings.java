package dev.outbox.internal.dispatch;

import dev.outbox.HandlerDefinition;
import dev.outbox.OnDead;
import dev.outbox.internal.payload.MissingFields;
import dev.outbox.retry.RetryPolicy;
import java.util.Map;

/** How handlers are treated. */
public record DispatchSettings(
        RetryPolicies retry, Map<String, HandlerSettings> handlers, MissingFields missingFields) {

    /** Copies the map. */
    public DispatchSettings {
        handlers = Map.copyOf(handlers);
    }

    /** Creates settings that warn of missing fields. */
    public DispatchSettings(RetryPolicies retry, Map<String, HandlerSettings> handlers) {
        this(retry, handlers, MissingFields.WARN);
    }

    /** Returns the default: the default retry policy for all, nothing special about any handler, and a warning for missing fields. */
    public static DispatchSettings defaults() {
        return new DispatchSettings(new RetryPolicies(RetryPolicy.defaults(), Map.of(), Map.of()), Map.of());
    }

    /** Finds what is special about a handler. */
    public HandlerSettings of(String handlerId) {
        return handlers.getOrDefault(handlerId, HandlerSettings.NONE);
    }

    boolean blocksWhenDead(HandlerDefinition handler) {
        OnDead configured = of(handler.id()).onDead();
        return (configured != null ? configured : handler.onDead()) == OnDead.BLOCK;
    }
}
