package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.HandlerInterceptor;
import dev.outbox.spring.tracing.OutboxHandleObservationContext;
import dev.outbox.spring.tracing.OutboxHandleObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Observes each invocation of a handler. */
final class ObservingInterceptor implements HandlerInterceptor {

    private static final OutboxHandleObservationConvention DEFAULT = new OutboxHandleObservationConvention() {};

    /** Age from which an event is linked: its trace has ended, and few viewers join what comes later. */
    private static final Duration LATE = Duration.ofMinutes(10);

    private final ObservationRegistry registry;
    private final @Nullable OutboxHandleObservationConvention convention;
    private final Clock clock;

    ObservingInterceptor(
            ObservationRegistry registry, @Nullable OutboxHandleObservationConvention convention, Clock clock) {
        this.registry = registry;
        this.convention = convention;
        this.clock = clock;
    }

    @Override
    public void intercept(Call call, Chain chain) throws Exception {
        OutboxHandleObservationContext context = new OutboxHandleObservationContext(call, isLinked(call));
        GuardedObservation observation = new GuardedObservation(
                () -> Observation.createNotStarted(convention, DEFAULT, () -> context, registry));
        try {
            chain.proceed();
        } catch (Throwable ex) {
            observation.error(ex);
            throw ex;
        } finally {
            observation.close();
        }
    }

    /** Returns whether the invocation begins a new trace that links to those of its events. The events of a batch have no common parent. */
    private boolean isLinked(Call call) {
        return call.events().size() > 1 || call.replayed() || isLate(call);
    }

    private boolean isLate(Call call) {
        Duration age = Duration.between(call.events().get(0).occurredAt(), clock.instant());
        return age.compareTo(LATE) >= 0;
    }
}
