package dev.outbox.internal.sql;

import java.util.regex.Pattern;

/**
 * The database schema that holds the outbox tables. The name is checked and quoted, so that it can stand in SQL text. It has no capitals,
 * because PostgreSQL folds a name that an operator does not quote.
 */
public record OutboxSchema(String name) {

    private static final Pattern ALLOWED = Pattern.compile("(?!pg_)[a-z_][a-z0-9_]{0,62}");

    /** The name that is used where nothing else is configured. */
    public static final OutboxSchema DEFAULT = new OutboxSchema("events");

    /** The schema of the archive where nothing else is configured. */
    public static final OutboxSchema DEFAULT_ARCHIVE = new OutboxSchema("audit");

    public OutboxSchema {
        if (!ALLOWED.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "not a usable schema name: '" + name
                            + "'; use lower-case letters, digits and underscores, at most 63, not beginning with a digit or pg_");
        }
    }

    /** Returns the name as an SQL identifier. */
    public String quoted() {
        return '"' + name + '"';
    }

    /**
     * Renders a statement: {@code {schema}} is the quoted name, {@code {envelope}} the columns that {@link EventRow} reads.
     */
    public String render(String sql) {
        return sql.replace("{envelope}", EventRow.COLUMNS).replace("{schema}", quoted());
    }
}
