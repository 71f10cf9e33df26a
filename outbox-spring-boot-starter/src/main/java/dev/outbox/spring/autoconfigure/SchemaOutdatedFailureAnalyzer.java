package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.schema.SchemaOutdatedException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows the SQL that updates the tables. */
final class SchemaOutdatedFailureAnalyzer extends AbstractFailureAnalyzer<SchemaOutdatedException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SchemaOutdatedException cause) {
        String description =
                String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        return new FailureAnalysis(
                description, "Start once with outbox.migrate=true, or run this SQL:\n\n" + cause.sql(), cause);
    }
}
