package dev.outbox.console.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says why an application with an enabled console does not start, and what to change. */
final class ConsoleConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<ConsoleConfigurationException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ConsoleConfigurationException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
