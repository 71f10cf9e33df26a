package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.HandlerInterceptor;
import dev.outbox.spring.tracing.TraceMode;
import java.time.Clock;
import java.time.Duration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Decides whether an invocation continues the trace of its event, or begins a new one that links to it. */
record TraceContinuation(TraceMode mode, Duration parentFor, Clock clock) {

    TraceContinuation {
        if (parentFor.isNegative()) {
            throw new InvalidConfigurationPropertyValueException(
                    "outbox.tracing.parent-for", parentFor, "must not be negative");
        }
    }

    /** The events of a batch have no common parent. */
    boolean isLinked(HandlerInterceptor.Call call) {
        return call.events().size() > 1
                || switch (mode) {
                    case PARENT -> false;
                    case LINK -> true;
                    case AUTO -> call.replayed() || isLate(call);
                };
    }

    private boolean isLate(HandlerInterceptor.Call call) {
        Duration age = Duration.between(call.events().get(0).occurredAt(), clock.instant());
        return age.compareTo(parentFor) >= 0;
    }
}
