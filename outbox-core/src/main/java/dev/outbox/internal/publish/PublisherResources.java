package dev.outbox.internal.publish;

import dev.outbox.internal.store.OutboxSchema;
import java.time.Clock;
import java.util.Set;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import tools.jackson.databind.json.JsonMapper;

/** What a publisher works with. */
public record PublisherResources(
        DataSource dataSource,
        TransactionPhase phase,
        OutboxSchema schema,
        JsonMapper mapper,
        Clock clock,
        RandomGenerator random,
        Set<String> streams) {}
