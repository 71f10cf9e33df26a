package dev.outbox.spring.autoconfigure;

import dev.outbox.HandlerConfigurationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a handler that cannot be registered. */
final class HandlerConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<HandlerConfigurationException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, HandlerConfigurationException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), null, cause);
    }
}
