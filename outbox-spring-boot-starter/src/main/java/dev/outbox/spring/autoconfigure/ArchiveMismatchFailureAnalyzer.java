package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.schema.ArchiveMismatchException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows how the archive's table differs from an archive, and the ways out. */
final class ArchiveMismatchFailureAnalyzer extends AbstractFailureAnalyzer<ArchiveMismatchException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ArchiveMismatchException cause) {
        return new FailureAnalysis(
                "Published events are archived in table " + cause.table() + ", which cannot hold them:\n\n    "
                        + String.join("\n    ", cause.problems()),
                "Set outbox.retention.archive-schema to a schema for the archive, or rename the existing table.",
                cause);
    }
}
