package dev.outbox.spring.tracing;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerInterceptor;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.List;
import java.util.Map;

/**
 * Context of the observation {@code outbox.handle}: one invocation of a handler. The carrier holds the headers of the event; it is empty for
 * a batch of several events, which have no common parent. For use on the thread of the handler.
 */
public final class OutboxHandleObservationContext extends ReceiverContext<Map<String, String>> {

    private final HandlerInterceptor.Call call;
    private final boolean linked;

    /**
     * Creates the context of an invocation.
     *
     * @param call the invocation
     * @param linked whether the invocation begins a new trace that links to those of its events, instead of continuing their trace
     */
    public OutboxHandleObservationContext(HandlerInterceptor.Call call, boolean linked) {
        super(Map::get);
        this.call = call;
        this.linked = linked;
        List<EventEnvelope> events = call.events();
        setCarrier(events.size() == 1 ? events.get(0).headers() : Map.of());
    }

    /** {@return the invocation} */
    public HandlerInterceptor.Call getCall() {
        return call;
    }

    /** {@return whether the invocation begins a new trace that links to those of its events} */
    public boolean isLinked() {
        return linked;
    }
}
