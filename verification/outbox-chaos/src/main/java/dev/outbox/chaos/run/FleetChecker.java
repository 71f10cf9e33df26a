package dev.outbox.chaos.run;

import dev.outbox.chaos.check.CheckSettings;
import dev.outbox.chaos.check.Checker;
import dev.outbox.chaos.check.Report;
import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.history.History;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.PGConnection;

/** Checks the history of a fleet, and saves what its database holds, as text, if a rule is broken. */
final class FleetChecker {

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

    private FleetChecker() {}

    static Report check(CheckSettings settings, History history, Fleet fleet, Path directory)
            throws SQLException, IOException {
        Report report = new Checker(settings).check(history);
        if (!report.isClean()) {
            save(fleet, directory);
        }
        return report;
    }

    /** Writes a file for each table that there is. */
    private static void save(Fleet fleet, Path directory) throws SQLException, IOException {
        try (Connection connection = fleet.dataSource().getConnection()) {
            for (String table : TABLES) {
                if (!exists(fleet, table)) {
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

    private static boolean exists(Fleet fleet, String table) {
        return fleet.sql()
                .sql("SELECT to_regclass(?) IS NOT NULL")
                .param(table)
                .query(Boolean.class)
                .single();
    }
}
