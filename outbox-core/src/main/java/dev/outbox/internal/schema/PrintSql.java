package dev.outbox.internal.schema;

import dev.outbox.internal.sql.OutboxSchema;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Prints the SQL of the tables: {@code java -jar outbox-core.jar --schema=events --archive-schema=audit}. Needs only this JAR. */
public final class PrintSql {

    private static final String USAGE = """
            Prints the SQL that creates or updates the tables of the outbox.
              --schema=NAME          schema of the tables (events)
              --archive-schema=NAME  schema of the archive (audit)
              --after=VERSION        version of the existing tables (0: none)
              --module=NAME          tables of a module whose JAR is on the class path, such as kafka
            """;

    private PrintSql() {}

    /** Prints to the standard output, and exits with 2 if an option is wrong. */
    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try {
            out.print(sql(arguments));
        } catch (IllegalArgumentException ex) {
            System.err.println(ex.getMessage());
            System.err.print(USAGE);
            System.exit(2);
        }
    }

    /** Returns the SQL, or throws an {@code IllegalArgumentException} that explains which option is wrong. */
    static String sql(String... arguments) {
        String schema = OutboxSchema.DEFAULT.name();
        String archiveSchema = OutboxSchema.DEFAULT_ARCHIVE.name();
        int after = 0;
        TableModule module = TableModule.OUTBOX;
        for (String argument : arguments) {
            String value = argument.substring(argument.indexOf('=') + 1);
            if (argument.startsWith("--schema=")) {
                schema = value;
            } else if (argument.startsWith("--archive-schema=")) {
                archiveSchema = value;
            } else if (argument.matches("--after=\\d{1,6}")) {
                after = Integer.parseInt(value);
            } else if (argument.startsWith("--module=")) {
                module = TableModule.named(value);
            } else {
                throw new IllegalArgumentException("unknown option: " + argument);
            }
        }
        return new PlainSql(module, new OutboxSchema(schema), new OutboxSchema(archiveSchema)).after(after);
    }
}
