package dev.outbox.dispatch;

import dev.outbox.retry.RetryPolicy;
import java.util.Map;

/**
 * Which retry policy counts: the handler's, else the stream's, else the default.
 *
 * @param defaults the policy where nothing else is said
 * @param streams policies by stream
 * @param handlers policies by handler id
 */
public record RetryPolicies(RetryPolicy defaults, Map<String, RetryPolicy> streams, Map<String, RetryPolicy> handlers) {

    /** Copies the maps. */
    public RetryPolicies {
        streams = Map.copyOf(streams);
        handlers = Map.copyOf(handlers);
    }

    /**
     * Finds the policy for a delivery.
     *
     * @param stream the event's stream
     * @param handlerId the handler
     * @return the policy
     */
    public RetryPolicy of(String stream, String handlerId) {
        RetryPolicy ofHandler = handlers.get(handlerId);
        return ofHandler != null ? ofHandler : streams.getOrDefault(stream, defaults);
    }
}
