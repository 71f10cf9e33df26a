package dev.outbox.spring.autoconfigure;

import dev.outbox.MissingPrivilegeException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains which privileges the database role lacks, and how to grant them. */
final class MissingPrivilegeFailureAnalyzer extends AbstractFailureAnalyzer<MissingPrivilegeException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MissingPrivilegeException cause) {
        String remedy = cause.remedy();
        return new FailureAnalysis(
                "When the outbox started, " + cause.refusal() + ".",
                Character.toUpperCase(remedy.charAt(0)) + remedy.substring(1) + ".",
                cause);
    }
}
