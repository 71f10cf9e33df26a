package dev.outbox.fuzz;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.EnvelopeHandler;
import dev.outbox.fixture.TestOutbox;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.json.JsonMapper;

/** Handlers that fail with exceptions of libraries that quote the payload. */
final class LeakingHandlers {

    private static final JsonMapper QUOTING = JsonMapper.builder()
            .enable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    record Amount(int card) {}

    record Wrong(int card, Map<String, Amount> note) {}

    private final JdbcTemplate jdbc;

    private LeakingHandlers(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Adds the handlers and returns their ids. */
    static Set<String> addTo(TestOutbox outbox, String eventType) {
        outbox.update("CREATE TABLE charge (card text, amount integer CHECK (amount > 0))");
        LeakingHandlers leaking = new LeakingHandlers(new JdbcTemplate(outbox.dataSource()));
        Map<String, EnvelopeHandler> handlers = Map.of(
                "value", (envelope) -> QUOTING.readValue(envelope.payload(), Wrong.class),
                "source", (envelope) -> QUOTING.readTree(envelope.payload() + card(envelope)),
                "row", (envelope) -> leaking.insert(envelope),
                "batch", (envelope) -> leaking.insertBatch(envelope),
                "number", (envelope) -> leaking.jdbc.queryForObject("SELECT ?::integer", Integer.class, card(envelope)),
                "wrapped", leaking::wrapped,
                "url",
                        (envelope) -> {
                            throw new IllegalStateException("GET https://u:" + card(envelope) + "@pay/?token="
                                    + card(envelope) + " Authorization: Bearer " + card(envelope));
                        });
        handlers.forEach((id, handler) -> outbox.handler(id, eventType, handler));
        outbox.handler(HandlerDefinition.of("typed", Set.of(eventType), Wrong.class, (payload, envelope) -> {}));
        return Set.of("value", "source", "row", "batch", "number", "wrapped", "url", "typed");
    }

    private static String card(EventEnvelope envelope) {
        return new JsonMapper().readTree(envelope.payload()).get("card").asString();
    }

    private void insert(EventEnvelope envelope) {
        jdbc.update("INSERT INTO charge VALUES (?, -1)", card(envelope));
    }

    private void insertBatch(EventEnvelope envelope) {
        jdbc.batchUpdate(
                "INSERT INTO charge VALUES (?, -1)", List.of(new Object[] {card(envelope)}, new Object[] {"x"}));
    }

    private void wrapped(EventEnvelope envelope) {
        try {
            insert(envelope);
        } catch (RuntimeException ex) {
            throw new IllegalStateException("cannot charge: " + ex.getMessage(), ex);
        }
    }
}
