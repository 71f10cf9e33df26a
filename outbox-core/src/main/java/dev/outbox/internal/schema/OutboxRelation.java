package dev.outbox.internal.schema;

import java.util.List;

/**
 * Table, view or sequence of the outbox.
 *
 * @param name the name in the schema of the outbox, or of the archive
 * @param archive whether it is in the schema of the archive
 * @param worker the privileges that a worker needs, separated by spaces, as {@code grants.sql} gives them
 * @param grows whether the table grows with the events
 */
public record OutboxRelation(String name, boolean archive, String worker, boolean grows) {

    private static final String ALL = "SELECT INSERT UPDATE DELETE";

    /** All of the core: the check before the first migration, the check of a worker and the meters of growth read this list. */
    public static final List<OutboxRelation> LIST = List.of(
            steady("outbox", "SELECT"),
            growing("outbox_unpublished", ALL),
            growing("outbox_published", ALL),
            growing("outbox_scheduled", "SELECT UPDATE DELETE"),
            growing("outbox_delivery", ALL),
            growing("outbox_aggregate", "SELECT UPDATE"),
            growing("outbox_replay", "SELECT INSERT UPDATE"),
            growing("outbox_operation", "SELECT INSERT"),
            growing("processed_event", ALL),
            steady("outbox_stream", "SELECT INSERT UPDATE"),
            steady("outbox_claim", ALL),
            steady("outbox_lane", ALL),
            steady("outbox_handler", ALL),
            steady("outbox_subscription", ALL),
            steady("outbox_instance", ALL),
            steady("outbox_incarnation", "SELECT INSERT"),
            steady("outbox_aggregate_type", "SELECT INSERT"),
            steady("outbox_status", ""),
            steady("outbox_id_seq", "SELECT USAGE"),
            steady("outbox_claim_id_seq", "SELECT USAGE"),
            steady("outbox_replay_id_seq", "USAGE"),
            steady("outbox_operation_id_seq", "USAGE"),
            new OutboxRelation("events", true, "SELECT INSERT", true),
            new OutboxRelation("events_id_seq", true, "USAGE", false));

    private static OutboxRelation steady(String name, String worker) {
        return new OutboxRelation(name, false, worker, false);
    }

    private static OutboxRelation growing(String name, String worker) {
        return new OutboxRelation(name, false, worker, true);
    }
}
