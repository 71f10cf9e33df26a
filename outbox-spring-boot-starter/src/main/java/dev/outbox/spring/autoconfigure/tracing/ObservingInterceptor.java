package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.HandlerInterceptor;
import dev.outbox.spring.tracing.OutboxHandleObservationContext;
import dev.outbox.spring.tracing.OutboxHandleObservationConvention;
import dev.outbox.spring.tracing.OutboxObservationDocumentation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/** Observes each invocation of a handler. */
final class ObservingInterceptor implements HandlerInterceptor {

    private static final OutboxHandleObservationConvention DEFAULT = new OutboxHandleObservationConvention() {};

    private final ObservationRegistry registry;
    private final @Nullable OutboxHandleObservationConvention convention;
    private final TraceContinuation continuation;

    ObservingInterceptor(
            ObservationRegistry registry,
            @Nullable OutboxHandleObservationConvention convention,
            TraceContinuation continuation) {
        this.registry = registry;
        this.convention = convention;
        this.continuation = continuation;
    }

    @Override
    public void intercept(HandlerInterceptor.Call call, Chain chain) throws Exception {
        OutboxHandleObservationContext context = new OutboxHandleObservationContext(call, continuation.isLinked(call));
        LogCorrelation log = LogCorrelation.current();
        GuardedObservation observation = new GuardedObservation(
                () -> OutboxObservationDocumentation.HANDLE.observation(convention, DEFAULT, () -> context, registry));
        try {
            chain.proceed();
        } catch (Throwable ex) {
            observation.error(ex);
            throw ex;
        } finally {
            observation.close();
            log.restore();
        }
    }
}
