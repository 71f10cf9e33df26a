package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.HandlerInterceptor;
import dev.outbox.spring.tracing.TraceMode;
import java.time.Clock;
import java.time.Duration;

/** Decides whether an invocation continues the trace of its event, or begins a new one that links to it. */
record TraceContinuation(TraceMode mode, Clock clock) {

    /** Age of an event from which {@link TraceMode#AUTO} links: its trace has ended, and few viewers join what comes later. */
    private static final Duration LATE = Duration.ofMinutes(10);

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
        return age.compareTo(LATE) >= 0;
    }
}
