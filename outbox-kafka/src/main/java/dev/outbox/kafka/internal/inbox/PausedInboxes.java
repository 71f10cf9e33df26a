package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.store.OutboxSchema;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Inboxes whose handler an operator has paused. */
public final class PausedInboxes {

    /** Relies on outbox_handler_pk. */
    private static final String PAUSED = """
            SELECT h.id
              FROM {schema}.outbox_handler h
             WHERE h.id = ANY (:ids::text[])
               AND h.paused
            """;

    private final JdbcClient client;
    private final String sql;
    private final String[] ids;

    public PausedInboxes(DataSource dataSource, OutboxSchema schema, List<InboxSettings> inboxes) {
        this.client = JdbcClient.create(dataSource);
        this.sql = PAUSED.replace("{schema}", schema.quoted());
        this.ids = inboxes.stream().map(InboxSettings::handlerId).toArray(String[]::new);
    }

    /** Returns the ids of the paused handlers. */
    public Set<String> handlers() {
        return new HashSet<>(
                client.sql(sql).param("ids", ids).query(String.class).list());
    }
}
