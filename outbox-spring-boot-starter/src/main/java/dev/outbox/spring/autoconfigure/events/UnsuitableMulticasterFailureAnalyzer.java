package dev.outbox.spring.autoconfigure.events;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says how the multicaster must treat the listener of the outbox. */
final class UnsuitableMulticasterFailureAnalyzer extends AbstractFailureAnalyzer<UnsuitableMulticasterException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnsuitableMulticasterException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                cause.remedy()
                        + " If the application publishes no @Outboxed event, set outbox.spring-events.enabled=false.",
                cause);
    }
}
