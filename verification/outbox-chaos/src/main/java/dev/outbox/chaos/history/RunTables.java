package dev.outbox.chaos.history;

import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.internal.sql.OutboxSchema;
import java.nio.charset.StandardCharsets;
import javax.sql.DataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/** The tables of a run: those of the outbox, of its recorded changes, and of the application. */
public final class RunTables {

    /** Script with the tables that change in the transactions of publishers. */
    public static final String LEDGER = "/dev/outbox/chaos/business.sql";

    private static final String CHANGES = "/dev/outbox/chaos/history/state-changes.sql";
    private static final String BOOKING = "/dev/outbox/chaos/booking.sql";

    private RunTables() {}

    /** Creates the tables, and then what further scripts say. */
    public static void create(DataSource dataSource, String... scripts) {
        new OutboxMigrations(dataSource, OutboxSchema.DEFAULT, OutboxSchema.DEFAULT_ARCHIVE).migrate();
        ResourceDatabasePopulator populator =
                new ResourceDatabasePopulator(new ClassPathResource(CHANGES), new ClassPathResource(BOOKING));
        for (String script : scripts) {
            populator.addScript(new ClassPathResource(script));
        }
        populator.setSqlScriptEncoding(StandardCharsets.UTF_8.name());
        populator.setSeparator(ScriptUtils.EOF_STATEMENT_SEPARATOR);
        populator.execute(dataSource);
    }
}
