package dev.outbox.internal.publish;

import dev.outbox.internal.store.OutboxSchema;
import java.time.Clock;
import java.util.Set;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a publisher works with.
 *
 * @param dataSource the outbox's DataSource
 * @param phase knows whether a transaction is still open
 * @param schema the schema that holds the tables
 * @param mapper writes payloads
 * @param clock says when an event happened, where the caller does not
 * @param random makes event ids unique; must be safe for use by many threads
 * @param streams the streams that are polled somewhere: an event in any other would never be delivered
 */
public record PublisherResources(
        DataSource dataSource,
        TransactionPhase phase,
        OutboxSchema schema,
        JsonMapper mapper,
        Clock clock,
        RandomGenerator random,
        Set<String> streams) {}
