package dev.outbox.chaos.run;

import dev.outbox.chaos.fleet.Database;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.PGConnection;

/** What a database holds after a run that broke a rule, as text. */
final class Evidence {

    private static final List<String> TABLES = List.of(
            "chaos.state_change",
            "chaos.ledger",
            "chaos.booking",
            "events.outbox_unpublished",
            "events.outbox_published",
            "events.outbox_scheduled",
            "events.outbox_delivery",
            "events.outbox_lane",
            "events.outbox_claim",
            "events.outbox_operation",
            "audit.events");

    private final Database database;

    Evidence(Database database) {
        this.database = database;
    }

    /** Writes a file for each table that there is. */
    void save(Path directory) throws SQLException, IOException {
        try (Connection connection = database.connect()) {
            for (String table : TABLES) {
                if (database.number("SELECT count(to_regclass('" + table + "'))") == 0) {
                    continue;
                }
                try (OutputStream file = Files.newOutputStream(directory.resolve(table + ".csv"))) {
                    connection
                            .unwrap(PGConnection.class)
                            .getCopyAPI()
                            .copyOut("COPY (SELECT * FROM " + table + ") TO STDOUT WITH (FORMAT csv, HEADER)", file);
                }
            }
        }
    }
}
