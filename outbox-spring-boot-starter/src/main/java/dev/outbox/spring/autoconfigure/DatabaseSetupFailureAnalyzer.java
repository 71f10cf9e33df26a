package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.schema.DatabaseSetupException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.StringUtils;

/** Explains why the outbox cannot use its database. */
final class DatabaseSetupFailureAnalyzer extends AbstractFailureAnalyzer<DatabaseSetupException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, DatabaseSetupException cause) {
        return new FailureAnalysis(
                StringUtils.capitalize(cause.problem()) + ".", StringUtils.capitalize(cause.remedy()) + ".", cause);
    }
}
