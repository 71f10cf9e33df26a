package dev.outbox.spring.autoconfigure;

import dev.outbox.MissingPrivilegeException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.StringUtils;

/** Explains which privileges the database role lacks, and how to grant them. */
final class MissingPrivilegeFailureAnalyzer extends AbstractFailureAnalyzer<MissingPrivilegeException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MissingPrivilegeException cause) {
        return new FailureAnalysis(
                StringUtils.capitalize(cause.refusal()) + ".", StringUtils.capitalize(cause.remedy()) + ".", cause);
    }
}
