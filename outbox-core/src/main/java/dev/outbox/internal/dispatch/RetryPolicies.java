package dev.outbox.internal.dispatch;

import dev.outbox.retry.RetryPolicy;
import java.util.HashMap;
import java.util.Map;

/** Which retry policy counts: the handler's, else the stream's, else the default. */
public record RetryPolicies(InStream defaults, Map<String, InStream> streams) {

    /** Copies the map. */
    public RetryPolicies {
        streams = Map.copyOf(streams);
    }

    /** The policies of one stream. */
    public record InStream(RetryPolicy policy, Map<String, RetryPolicy> handlers) {

        /** Copies the map. */
        public InStream {
            handlers = Map.copyOf(handlers);
        }
    }

    /** Creates policies of which those of handlers are the same in every stream. */
    public RetryPolicies(RetryPolicy defaults, Map<String, RetryPolicy> streams, Map<String, RetryPolicy> handlers) {
        this(new InStream(defaults, handlers), inStreams(streams, handlers));
    }

    private static Map<String, InStream> inStreams(
            Map<String, RetryPolicy> streams, Map<String, RetryPolicy> handlers) {
        Map<String, InStream> inStreams = new HashMap<>();
        streams.forEach((stream, policy) -> inStreams.put(stream, new InStream(policy, handlers)));
        return inStreams;
    }

    /** Finds the policy for a delivery. */
    public RetryPolicy of(String stream, String handlerId) {
        InStream inStream = streams.getOrDefault(stream, defaults);
        return inStream.handlers().getOrDefault(handlerId, inStream.policy());
    }
}
