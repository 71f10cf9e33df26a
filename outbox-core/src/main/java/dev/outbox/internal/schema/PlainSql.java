package dev.outbox.internal.schema;

import dev.outbox.internal.sql.OutboxSchema;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Migrations as plain SQL, together with the rows that Flyway would write into its history. Needs no database and no Flyway:
 * {@code java -jar outbox-core-VERSION.jar --schema=events --archive-schema=audit} prints it.
 */
public final class PlainSql {

    private static final String USAGE = """
            Prints the SQL that creates or updates the tables of the outbox.
              --schema=NAME          schema of the tables (events)
              --archive-schema=NAME  schema of the archive (audit)
              --after=VERSION        version of the existing tables (0: none)
              --module=NAME          tables of a module whose JAR is on the class path, such as kafka; may be repeated
            """;

    private final TableModule module;
    private final OutboxSchema schema;
    private final OutboxSchema archiveSchema;

    PlainSql(TableModule module, OutboxSchema schema, OutboxSchema archiveSchema) {
        this.module = module;
        this.schema = schema;
        this.archiveSchema = archiveSchema;
    }

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
        List<TableModule> modules = new ArrayList<>();
        for (String argument : arguments) {
            String value = argument.substring(argument.indexOf('=') + 1);
            if (argument.startsWith("--schema=")) {
                schema = value;
            } else if (argument.startsWith("--archive-schema=")) {
                archiveSchema = value;
            } else if (argument.matches("--after=\\d{1,6}")) {
                after = Integer.parseInt(value);
            } else if (argument.startsWith("--module=")) {
                modules.add(TableModule.named(value));
            } else {
                throw new IllegalArgumentException("unknown option: " + argument);
            }
        }
        if (modules.isEmpty()) {
            modules.add(TableModule.OUTBOX);
        }
        StringBuilder sql = new StringBuilder();
        for (TableModule module : modules) {
            sql.append(new PlainSql(module, new OutboxSchema(schema), new OutboxSchema(archiveSchema)).after(after));
        }
        return sql.toString();
    }

    /** Values of the placeholders in the migrations. */
    Map<String, String> placeholders() {
        return Map.of("schema", schema.quoted(), "archive_schema", archiveSchema.quoted());
    }

    /** Returns the SQL that brings tables of a version to the latest one; 0 for tables that do not exist. */
    String after(int version) {
        return of(module.scripts().stream()
                .filter((script) -> {
                    String own = version(script);
                    return own == null || Integer.parseInt(own) > version;
                })
                .toList());
    }

    /** Returns the command that prints {@link #after}: an error shows it, because the SQL has hundreds of lines. */
    String command(int version) {
        StringBuilder command = new StringBuilder("java ");
        command.append(
                module.equals(TableModule.OUTBOX)
                        ? "-jar " + jar("core")
                        : "-cp " + jar("core") + ":" + jar(module.name()) + " " + PlainSql.class.getName()
                                + " --module=" + module.name());
        if (!schema.equals(OutboxSchema.DEFAULT)) {
            command.append(" --schema=").append(schema.name());
        }
        if (!archiveSchema.equals(OutboxSchema.DEFAULT_ARCHIVE)) {
            command.append(" --archive-schema=").append(archiveSchema.name());
        }
        return version == 0
                ? command.toString()
                : command.append(" --after=").append(version).toString();
    }

    /** Classes outside a JAR have no version. */
    private static String jar(String module) {
        String version = PlainSql.class.getPackage().getImplementationVersion();
        return "outbox-" + module + (version == null ? "" : "-" + version) + ".jar";
    }

    /** Returns the SQL that runs these migrations and records them. */
    private String of(List<String> scripts) {
        StringBuilder sql = new StringBuilder(history());
        scripts.forEach(
                (script) -> sql.append('\n').append(rendered(read(script))).append(record(script)));
        return sql.toString();
    }

    /** Returns the SQL that records all migrations without running them, for tables that have lost their history. */
    String ofHistory() {
        StringBuilder sql = new StringBuilder(history());
        module.scripts().forEach((script) -> sql.append(record(script)));
        return sql.toString();
    }

    private String history() {
        return """
                -- Tables of the outbox in schema %1$s, archive in schema %2$s. Run as the role that owns them, in one transaction.
                DO $block$ BEGIN
                    IF to_regnamespace('%1$s') IS NULL THEN
                        CREATE SCHEMA %1$s;
                    END IF;
                    IF to_regnamespace('%2$s') IS NULL THEN
                        CREATE SCHEMA %2$s;
                    END IF;
                END $block$;

                CREATE TABLE IF NOT EXISTS %1$s.%3$s (
                    installed_rank integer       NOT NULL CONSTRAINT %3$s_pk PRIMARY KEY,
                    version        varchar(50),
                    description    varchar(200)  NOT NULL,
                    type           varchar(20)   NOT NULL,
                    script         varchar(1000) NOT NULL,
                    checksum       integer,
                    installed_by   varchar(100)  NOT NULL,
                    installed_on   timestamp     NOT NULL DEFAULT now(),
                    execution_time integer       NOT NULL,
                    success        boolean       NOT NULL
                );
                CREATE INDEX IF NOT EXISTS %3$s_s_idx ON %1$s.%3$s (success);
                """.formatted(schema.quoted(), archiveSchema.quoted(), module.history());
    }

    private String record(String script) {
        String version = version(script);
        String text = read(script);
        return """

                INSERT INTO %1$s.%2$s
                       (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
                SELECT coalesce(max(installed_rank), 0) + 1, %3$s, '%4$s', 'SQL', '%5$s', %6$d, current_user, 0, true
                  FROM %1$s.%2$s;
                """.formatted(
                schema.quoted(),
                module.history(),
                version == null ? "NULL" : "'" + version + "'",
                script.replaceFirst("^[^_]+__", "").replaceFirst("\\.sql$", "").replace('_', ' '),
                script,
                checksum(version == null ? rendered(text) : text));
    }

    /** Returns {@code null} for a script that runs whenever it changes. */
    private static @Nullable String version(String script) {
        return script.startsWith("V") ? script.substring(1, script.indexOf("__")) : null;
    }

    /** Flyway's checksum: lines without their ends; of a repeatable script with its placeholders replaced. */
    private static int checksum(String text) {
        CRC32 checksum = new CRC32();
        text.lines().forEach((line) -> checksum.update(line.getBytes(StandardCharsets.UTF_8)));
        return (int) checksum.getValue();
    }

    private String rendered(String text) {
        String rendered = text;
        for (Map.Entry<String, String> placeholder : placeholders().entrySet()) {
            rendered = rendered.replace("${" + placeholder.getKey() + "}", placeholder.getValue());
        }
        return rendered;
    }

    private String read(String script) {
        String path = module.location() + "/" + script;
        try (InputStream text = PlainSql.class.getClassLoader().getResourceAsStream(path)) {
            if (text == null) {
                throw new IllegalStateException("migration " + path + " is not on the class path");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
