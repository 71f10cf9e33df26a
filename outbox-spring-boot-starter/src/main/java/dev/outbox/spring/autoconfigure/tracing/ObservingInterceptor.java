package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.HandlerCall;
import dev.outbox.HandlerInterceptor;
import dev.outbox.spring.autoconfigure.OutboxProperties;
import dev.outbox.spring.tracing.DefaultOutboxHandleObservationConvention;
import dev.outbox.spring.tracing.OutboxHandleObservationContext;
import dev.outbox.spring.tracing.OutboxHandleObservationConvention;
import dev.outbox.spring.tracing.OutboxObservationDocumentation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Observes each invocation of a handler. */
final class ObservingInterceptor implements HandlerInterceptor {

    private static final OutboxHandleObservationConvention DEFAULT = new DefaultOutboxHandleObservationConvention();

    private final ObservationRegistry registry;
    private final @Nullable OutboxHandleObservationConvention convention;
    private final OutboxProperties.Tracing properties;
    private final Clock clock;

    ObservingInterceptor(
            ObservationRegistry registry,
            @Nullable OutboxHandleObservationConvention convention,
            OutboxProperties.Tracing properties,
            Clock clock) {
        this.registry = registry;
        this.convention = convention;
        this.properties = properties;
        this.clock = clock;
    }

    @Override
    public void intercept(HandlerCall call, Chain chain) throws Exception {
        OutboxHandleObservationContext context = new OutboxHandleObservationContext(call, isLinked(call));
        GuardedObservation observation = new GuardedObservation(
                () -> OutboxObservationDocumentation.HANDLE.observation(convention, DEFAULT, () -> context, registry));
        try {
            chain.proceed();
        } catch (Throwable ex) {
            observation.error(ex);
            throw ex;
        } finally {
            observation.close();
        }
    }

    /** Returns whether the invocation begins a new trace that links to that of its event. The events of a batch have no common parent. */
    private boolean isLinked(HandlerCall call) {
        return call.events().size() > 1
                || switch (properties.mode()) {
                    case PARENT -> false;
                    case LINK -> true;
                    case AUTO -> call.replayed() || isLate(call);
                };
    }

    private boolean isLate(HandlerCall call) {
        Duration age = Duration.between(call.events().get(0).occurredAt(), clock.instant());
        return age.compareTo(properties.parentFor()) >= 0;
    }
}
