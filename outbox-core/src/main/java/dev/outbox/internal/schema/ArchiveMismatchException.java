package dev.outbox.internal.schema;

import dev.outbox.OutboxConfigurationException;
import java.util.List;

/** Thrown at start when the archive table has other columns than retention writes, since it probably belongs to the application. */
public final class ArchiveMismatchException extends OutboxConfigurationException {

    private static final long serialVersionUID = 1L;

    private static final String WAYS_OUT =
            "set outbox.retention.archive-schema to another schema, or rename the existing table";

    private final String table;
    private final List<String> problems;

    ArchiveMismatchException(String table, List<String> problems) {
        super(
                "table " + table + " cannot be the archive of the outbox: " + String.join(", ", problems) + "; "
                        + WAYS_OUT,
                null);
        this.table = table;
        this.problems = List.copyOf(problems);
    }

    /** Returns the table. */
    public String table() {
        return table;
    }

    /** Returns the differences between the table and an archive. */
    public List<String> problems() {
        return problems;
    }
}
