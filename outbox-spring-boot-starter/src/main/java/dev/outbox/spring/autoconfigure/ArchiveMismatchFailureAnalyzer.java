package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.schema.ArchiveMismatchException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains an archive table that has other columns than retention writes. */
final class ArchiveMismatchFailureAnalyzer extends AbstractFailureAnalyzer<ArchiveMismatchException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ArchiveMismatchException cause) {
        return new FailureAnalysis(
                "Retention archives published events in table " + cause.table()
                        + ", but the table does not fit:\n\n    " + String.join("\n    ", cause.problems()),
                "Set outbox.retention.archive-schema to a schema for the archive, or rename the existing table.",
                cause);
    }
}
