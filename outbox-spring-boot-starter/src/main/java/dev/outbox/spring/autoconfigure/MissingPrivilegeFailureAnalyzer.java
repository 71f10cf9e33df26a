package dev.outbox.spring.autoconfigure;

import dev.outbox.MissingPrivilegeException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows which privileges the role of the application lacks, and what grants them. */
final class MissingPrivilegeFailureAnalyzer extends AbstractFailureAnalyzer<MissingPrivilegeException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MissingPrivilegeException cause) {
        String remedy = cause.remedy();
        return new FailureAnalysis(
                "At the start of the outbox, " + cause.refusal() + ".",
                Character.toUpperCase(remedy.charAt(0)) + remedy.substring(1) + ".",
                cause);
    }
}
