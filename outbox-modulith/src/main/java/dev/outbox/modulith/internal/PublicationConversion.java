package dev.outbox.modulith.internal;

import dev.outbox.InvalidEventException;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.payload.DeclaredType;
import dev.outbox.internal.publish.PublisherSettings.StreamRouting;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedType;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.modulith.events.core.EventPublicationRepository;
import org.springframework.modulith.events.core.EventSerializer;
import org.springframework.transaction.event.TransactionalApplicationListener;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

/** Converts the incomplete publications of Spring Modulith into events, in one transaction. A count is a conversion that is rolled back. */
public record PublicationConversion(
        boolean counts,
        TransactionTemplate transactions,
        AbstractApplicationContext context,
        EventPublicationRepository repository,
        EventSerializer serializer,
        ExternalizedEvents externalized,
        OutboxPublisher publisher,
        OutboxRuntime runtime,
        StreamRouting routing)
        implements ApplicationRunner {

    private static final Logger log = LoggerFactory.getLogger(PublicationConversion.class);

    private static final String CONVERTED = "become events";
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /** The publications of one event share no id. Equal events are told apart by their positions among the publications of a listener. */
    private static final String INCOMPLETE = """
            SELECT id, listener_id, event_type, serialized_event, publication_date,
                   row_number() OVER (PARTITION BY event_type, serialized_event, listener_id
                                      ORDER BY publication_date, id) AS position
              FROM %s
             WHERE completion_date IS NULL
             ORDER BY publication_date, id
            """;

    private record Publication(UUID id, String listener, Instant publishedAt, Event event) {}

    private record Event(String type, String json, long position) {}

    @Override
    public void run(ApplicationArguments arguments) {
        transactions.executeWithoutResult((status) -> {
            convert();
            if (counts) {
                status.setRollbackOnly();
                log.info("The publications were only counted; outbox.modulith.publications=convert converts them");
            }
        });
    }

    private void convert() {
        Set<String> kept = kept();
        Map<Event, String> outcomes = new LinkedHashMap<>();
        Map<String, Integer> counts = new TreeMap<>();
        for (Publication publication : incomplete()) {
            String outcome = kept.contains(publication.listener())
                    ? "stay, because Spring Modulith still calls it"
                    : outcomes.computeIfAbsent(publication.event(), (event) -> store(event, publication.publishedAt()));
            if (outcome.equals(CONVERTED)) {
                repository.markCompleted(publication.id(), Instant.now());
            }
            counts.merge(publication.listener() + " " + outcome, 1, Integer::sum);
        }
        log.info(
                "Incomplete publications of Spring Modulith, by listener: {}. New events: {}",
                counts,
                outcomes.values().stream().filter(CONVERTED::equals).count());
    }

    /** Returns the listeners that are called after the commit: those whose publications Spring Modulith stores. */
    private Set<String> kept() {
        return context.getApplicationListeners().stream()
                .filter(TransactionalApplicationListener.class::isInstance)
                .map((listener) -> ((TransactionalApplicationListener<?>) listener).getListenerId())
                .collect(Collectors.toSet());
    }

    private List<Publication> incomplete() {
        String schema = context.getEnvironment().getProperty("spring.modulith.events.jdbc.schema", "");
        String table = (schema.isEmpty() ? "" : schema + ".") + "event_publication";
        JdbcClient sql = JdbcClient.create(runtime.dataSource());
        lock(table, sql);
        return sql.sql(INCOMPLETE.formatted(table))
                .query((row, number) -> new Publication(
                        row.getObject("id", UUID.class),
                        row.getString("listener_id"),
                        row.getObject("publication_date", OffsetDateTime.class).toInstant(),
                        new Event(
                                row.getString("event_type"),
                                row.getString("serialized_event"),
                                row.getLong("position"))))
                .list();
    }

    /** Limits the waits of the publisher in this transaction too. */
    private static void lock(String table, JdbcClient sql) {
        try {
            sql.sql("SET LOCAL lock_timeout = '5s'").update();
            sql.sql("LOCK TABLE " + table + " IN SHARE ROW EXCLUSIVE MODE").update();
        } catch (DataAccessException ex) {
            if (ex.getMostSpecificCause() instanceof SQLException cause
                    && LOCK_NOT_AVAILABLE.equals(cause.getSQLState())) {
                throw new OutboxConfigurationException(
                        "publications were not converted, because another transaction has changed " + table
                                + " and is still open",
                        "stop the old version, then start again",
                        ex);
            }
            throw ex;
        }
    }

    /** Stores an event, or returns why its publications stay. */
    private String store(Event stored, Instant publishedAt) {
        Object original;
        try {
            Class<?> type = ClassUtils.forName(stored.type(), null);
            original = serializer.deserialize(stored.json(), type);
        } catch (ClassNotFoundException | LinkageError | RuntimeException ex) {
            return "stay, because " + stored.type() + " cannot be read: "
                    + ex.getClass().getSimpleName();
        }
        try {
            OutboxedType mark = OutboxedType.of(original.getClass());
            if (mark != null && mark.hasSequence()) {
                return "stay, because the application numbers the events of " + stored.type();
            }
            if (mark == null && !externalized.supports(original)) {
                return "stay, because " + stored.type() + " is neither @Outboxed nor externalized";
            }
            OutboxEvent event = mark != null ? mark.read(original) : externalized.read(original);
            if (!isTaken(event)) {
                return "stay, because no handler or route takes " + stored.type();
            }
            publisher.publish(event.occurredAt(publishedAt));
            return CONVERTED;
        } catch (InvalidEventException ex) {
            return "stay: " + ex.getMessage();
        }
    }

    private boolean isTaken(OutboxEvent event) {
        String stream = event.stream() != null ? event.stream() : routing.streamOf(event.aggregateType());
        return runtime.registry()
                .hasSubscribers(Subscription.of(
                        DeclaredType.of(event.payload().getClass()).name(), event.aggregateType(), stream, false));
    }
}
