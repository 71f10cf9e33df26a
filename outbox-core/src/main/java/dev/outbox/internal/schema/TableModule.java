package dev.outbox.internal.schema;

import java.util.ArrayList;
import java.util.List;

/**
 * Tables with migrations and a history of their own: those of the outbox, or of a module that has the location
 * {@code dev/outbox/<name>/migration} and the scripts {@code V1__<name>.sql}, {@code V2__<name>.sql} and so on.
 *
 * @param tables names of the tables whose rows belong to events, for the test kit
 */
public record TableModule(String location, String history, List<String> scripts, List<String> tables) {

    static final TableModule OUTBOX = new TableModule(
            OutboxMigrations.LOCATION,
            OutboxMigrations.HISTORY,
            List.of("V1__outbox.sql", "R__archive.sql", "R__publish.sql"),
            List.of());

    public TableModule {
        scripts = List.copyOf(scripts);
        tables = List.copyOf(tables);
    }

    /** Returns the name of a module. */
    String name() {
        return location.replaceFirst("^dev/outbox/", "").replaceFirst("/.*$", "");
    }

    /** Returns a table that no application creates. */
    String ownTable() {
        return tables.isEmpty() ? "outbox_incarnation" : tables.get(0);
    }

    /** Returns a module that is on the class path. */
    public static TableModule named(String name, String... tables) {
        String location = "dev/outbox/" + name + "/migration";
        List<String> scripts = new ArrayList<>();
        String next = "V1__" + name + ".sql";
        while (TableModule.class.getClassLoader().getResource(location + "/" + next) != null) {
            scripts.add(next);
            next = "V" + (scripts.size() + 1) + "__" + name + ".sql";
        }
        if (scripts.isEmpty()) {
            throw new IllegalArgumentException("there is no module '" + name + "' on the class path");
        }
        return new TableModule(location, "outbox_" + name + "_schema_history", scripts, List.of(tables));
    }
}
