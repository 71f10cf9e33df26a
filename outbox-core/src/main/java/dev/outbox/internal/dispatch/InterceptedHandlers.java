package dev.outbox.internal.dispatch;

import dev.outbox.BatchHandler.Batch;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerInterceptor;
import dev.outbox.HandlerInterceptor.Chain;
import java.util.List;

/** Surrounds handlers with interceptors, the first one outermost. */
public record InterceptedHandlers(List<HandlerInterceptor> interceptors) {

    public InterceptedHandlers {
        interceptors = List.copyOf(interceptors);
    }

    /** Returns a handler with the interceptors around it; without interceptors, the handler itself. */
    public HandlerDefinition around(HandlerDefinition handler) {
        if (interceptors.isEmpty()) {
            return handler;
        }
        boolean batch = handler.isBatch();
        return handler.decorated((own) -> (payload, envelope, context) -> {
            HandlerInterceptor.Call call = new HandlerInterceptor.Call(
                    handler.id(), batch ? ((Batch) payload).events() : List.of(envelope), context);
            chain(call, 0, () -> own.handle(payload, envelope, context)).proceed();
        });
    }

    private Chain chain(HandlerInterceptor.Call call, int next, Chain handler) {
        if (next == interceptors.size()) {
            return handler;
        }
        HandlerInterceptor interceptor = interceptors.get(next);
        return () -> {
            Once rest = new Once(interceptor, chain(call, next + 1, handler));
            interceptor.intercept(call, rest);
            rest.requireProceeded();
        };
    }

    /** Part of the chain behind an interceptor. An event that no handler got must not count as handled. */
    private static final class Once implements Chain {

        private final HandlerInterceptor interceptor;
        private final Chain rest;
        private boolean proceeded;

        Once(HandlerInterceptor interceptor, Chain rest) {
            this.interceptor = interceptor;
            this.rest = rest;
        }

        @Override
        public void proceed() throws Exception {
            if (proceeded) {
                throw new IllegalStateException(
                        "the interceptor " + interceptor.getClass().getName() + " called proceed() twice");
            }
            proceeded = true;
            rest.proceed();
        }

        void requireProceeded() {
            if (!proceeded) {
                throw new IllegalStateException("the interceptor "
                        + interceptor.getClass().getName()
                        + " returned without a call to proceed(), so the handler was not invoked; throw an exception to"
                        + " fail the attempt");
            }
        }
    }
}
