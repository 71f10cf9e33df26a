package dev.outbox.internal.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;

/** Reads which event types were published lately. */
public final class EventTypeStore {

    /** How many of the latest events are read, of those in the queue and of those in the history. */
    public static final int MOST_READ = 10_000;

    /** Relies on outbox_unpublished_pk and outbox_published_at. */
    static final String LATEST = """
            SELECT latest.event_type
              FROM ((SELECT o.event_type
                       FROM {schema}.outbox_unpublished o
                      ORDER BY o.id DESC
                      LIMIT {most})
                     UNION ALL
                    (SELECT o.event_type
                       FROM {schema}.outbox_published o
                      ORDER BY o.published_at DESC
                      LIMIT {most})) latest
             GROUP BY latest.event_type
            """.replace("{most}", Integer.toString(MOST_READ));

    private final DataSource dataSource;
    private final Pipeline latest;

    public EventTypeStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.latest = new Pipeline(schema, Pipeline.INSPECT, LATEST);
    }

    /** Returns the types of the latest events. */
    public Set<String> latest() throws SQLException {
        return latest.run(dataSource, (parameters) -> {}, (results) -> {
            results.skip(1);
            Set<String> types = new TreeSet<>();
            ResultSet row = results.rows();
            while (row.next()) {
                types.add(row.getString(1));
            }
            return types;
        });
    }
}
