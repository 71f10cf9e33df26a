package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.schema.SchemaOutdatedException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.StringUtils;

/** Shows the SQL that updates the tables. */
final class SchemaOutdatedFailureAnalyzer extends AbstractFailureAnalyzer<SchemaOutdatedException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SchemaOutdatedException cause) {
        return new FailureAnalysis(
                StringUtils.capitalize(cause.problem()) + ".",
                "Start once with outbox.migrate=true, or run this SQL:\n\n" + cause.sql(),
                cause);
    }
}
