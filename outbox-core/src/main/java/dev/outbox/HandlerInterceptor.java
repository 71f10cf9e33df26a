package dev.outbox;

import java.util.List;

/**
 * Code around every invocation of a handler, for example to restore the tenant that a {@link EventHeadersContributor} has stored. A bean of
 * this type registers itself; the first in the order of {@code @Order} is the outermost. Thread-safe.
 *
 * <p>An interceptor runs on the thread of the handler: before the transaction of a {@linkplain OutboxHandler#deduplicate() deduplicating}
 * handler begins, and after it has ended. The timeout of the handler does not include it. It is not called for an attempt that ends without
 * an invocation, because the payload cannot be read or the lease is lost. It is called for an event that a deduplicating handler has
 * processed before.
 */
@FunctionalInterface
public interface HandlerInterceptor {

    /**
     * Surrounds an invocation. Exceptions count as those of the handler: the attempt fails, and the retry policy applies. An interceptor
     * must let exceptions of {@link Chain#proceed()} through, unless the attempt is to count as a success.
     *
     * <p>An interceptor cannot skip an event. If it returns without a call to {@link Chain#proceed()}, the attempt fails; use
     * {@link HandlerDefinition#ofAggregateTypes} and its like to select events.
     *
     * @param call the invocation
     * @param chain the next interceptor, or the handler
     * @throws Exception if the attempt failed
     */
    void intercept(Call call, Chain chain) throws Exception;

    /** What an interceptor surrounds. */
    @FunctionalInterface
    interface Chain {

        /**
         * Invokes the next interceptor, or the handler after the last one. Each interceptor must call it once, on its own thread.
         *
         * @throws IllegalStateException at the second call
         * @throws Exception if the attempt failed
         */
        void proceed() throws Exception;
    }

    /**
     * Invocation of a handler.
     *
     * @param handlerId the handler
     * @param events the events of the invocation: one, or those of a batch handler, each aggregate in order
     * @param context the attempt; of a batch, its number is the highest
     */
    record Call(String handlerId, List<EventEnvelope> events, EventContext context) {

        /** Copies the events. */
        public Call {
            events = List.copyOf(events);
        }

        /** {@return the number of the attempt, at least 1} */
        public int attempt() {
            return context.attempt();
        }

        /** {@return whether any of the events is delivered by a replay} */
        public boolean replayed() {
            for (EventEnvelope event : events) {
                if (event.replayed()) {
                    return true;
                }
            }
            return false;
        }
    }
}
