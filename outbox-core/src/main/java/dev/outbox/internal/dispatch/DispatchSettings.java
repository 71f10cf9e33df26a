package dev.outbox.internal.dispatch;

import dev.outbox.CircuitBreaker;
import dev.outbox.HandlerDefinition;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settings for invoking handlers. */
public record DispatchSettings(
        RetryPolicies retry,
        Map<String, HandlerSettings> handlers,
        @Nullable Duration timeout) {

    public DispatchSettings {
        handlers = Map.copyOf(handlers);
        requirePositive(timeout);
    }

    /** Creates settings without a timeout for handlers that have none of their own. */
    public DispatchSettings(RetryPolicies retry, Map<String, HandlerSettings> handlers) {
        this(retry, handlers, null);
    }

    private static void requirePositive(@Nullable Duration timeout) {
        if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
            throw new IllegalArgumentException("timeout must be positive: " + timeout);
        }
    }

    /** Configured settings of a handler; where one is missing, the handler's own definition decides. */
    public record HandlerSettings(
            @Nullable Duration timeout,
            @Nullable CircuitBreaker circuit,
            @Nullable Integer maxAttempts) {

        /** Settings of a handler that nothing is configured for. */
        public static final HandlerSettings NONE = new HandlerSettings(null, null, null);

        public HandlerSettings {
            requirePositive(timeout);
        }
    }

    /** Returns the defaults: the default retry policy and no settings for single handlers. */
    public static DispatchSettings defaults() {
        return new DispatchSettings(RetryPolicies.of(RetryPolicy.defaults()), Map.of());
    }

    /** Returns the settings of a handler. */
    public HandlerSettings of(String handlerId) {
        return handlers.getOrDefault(handlerId, HandlerSettings.NONE);
    }

    /** Returns how long a handler may run; {@code null} without a limit. */
    @Nullable
    Duration timeoutOf(HandlerDefinition handler) {
        Duration configured = of(handler.id()).timeout();
        Duration own = configured != null ? configured : handler.timeout();
        return own != null ? own : timeout;
    }

    /** Returns the retry policy of a handler in a stream. */
    RetryPolicy policyOf(String stream, HandlerDefinition handler) {
        RetryPolicy configured = retry.of(stream, handler.id());
        Integer own = handler.maxAttempts();
        return own == null || of(handler.id()).maxAttempts() != null ? configured : configured.withMaxAttempts(own);
    }

    /**
     * Returns how many events of a stream an invocation of a handler may take: one, if the first attempt is the last one and its exception
     * may be the fault of any event.
     */
    int batchSize(String stream, HandlerDefinition handler) {
        if (!handler.isBatch() || (policyOf(stream, handler).maxAttempts() == 1 && !SingleFailures.isMarked(handler))) {
            return 1;
        }
        Integer size = handler.batchSize();
        return size != null ? size : Integer.MAX_VALUE;
    }

    /** Configured retry policies: the handler's comes before the stream's, and that before the default. */
    public record RetryPolicies(InStream defaults, Map<String, InStream> streams) {

        public RetryPolicies {
            streams = Map.copyOf(streams);
        }

        /** Returns one policy for all deliveries. */
        public static RetryPolicies of(RetryPolicy policy) {
            return new RetryPolicies(new InStream(policy, Map.of()), Map.of());
        }

        /** Policies of one stream. */
        public record InStream(RetryPolicy policy, Map<String, RetryPolicy> handlers) {

            public InStream {
                handlers = Map.copyOf(handlers);
            }
        }

        /** Returns the configured policy of a delivery. */
        public RetryPolicy of(String stream, String handlerId) {
            InStream inStream = streams.getOrDefault(stream, defaults);
            return inStream.handlers().getOrDefault(handlerId, inStream.policy());
        }
    }
}
