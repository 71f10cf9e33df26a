package dev.outbox.modulith.internal;

import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedType;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.modulith.events.core.EventPublicationRepository;
import org.springframework.modulith.events.core.EventSerializer;
import org.springframework.util.ClassUtils;

/** Converts the incomplete publications of Spring Modulith into events, in the transaction of the caller. */
public final class PublicationConversion {

    private static final Logger log = LoggerFactory.getLogger(PublicationConversion.class);

    private static final String CONVERTED = "become events";

    /** The publications of one event share no id. Equal events are told apart by their positions among the publications of a listener. */
    private static final String INCOMPLETE = """
            SELECT id, listener_id, event_type, serialized_event, publication_date,
                   row_number() OVER (PARTITION BY event_type, serialized_event, listener_id
                                      ORDER BY publication_date, id) AS position
              FROM %s
             WHERE completion_date IS NULL
             ORDER BY publication_date, id
            """;

    private final String table;
    private final JdbcClient sql;
    private final EventPublicationRepository repository;
    private final EventSerializer serializer;
    private final @Nullable ExternalizedEvents externalized;
    private final OutboxPublisher publisher;

    /** Creates the conversion of a table. */
    public PublicationConversion(
            String table,
            JdbcClient sql,
            EventPublicationRepository repository,
            EventSerializer serializer,
            @Nullable ExternalizedEvents externalized,
            OutboxPublisher publisher) {
        this.table = table;
        this.sql = sql;
        this.repository = repository;
        this.serializer = serializer;
        this.externalized = externalized;
        this.publisher = publisher;
    }

    private record Publication(UUID id, String listener, Instant publishedAt, Event event) {}

    private record Event(String type, String json, long position) {}

    /**
     * Stores the events, and completes their publications.
     *
     * @param kept ids of the listeners that Spring Modulith still calls
     * @param taken tells whether a handler or route takes an event
     */
    public void convert(Set<String> kept, Predicate<OutboxEvent> taken) {
        sql.sql("LOCK TABLE " + table + " IN SHARE ROW EXCLUSIVE MODE").update();
        Map<Event, String> outcomes = new LinkedHashMap<>();
        Map<String, Integer> counts = new TreeMap<>();
        for (Publication publication : incomplete()) {
            String outcome = kept.contains(publication.listener())
                    ? "stay, because Spring Modulith still calls it"
                    : outcomes.computeIfAbsent(
                            publication.event(), (event) -> store(event, publication.publishedAt(), taken));
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

    private List<Publication> incomplete() {
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

    /** Stores an event, or returns why its publications stay. */
    private String store(Event stored, Instant publishedAt, Predicate<OutboxEvent> taken) {
        Object original;
        try {
            Class<?> type = ClassUtils.forName(stored.type(), null);
            original = serializer.deserialize(stored.json(), type);
        } catch (ClassNotFoundException | LinkageError | RuntimeException ex) {
            return "stay, because " + stored.type() + " cannot be read: "
                    + ex.getClass().getSimpleName();
        }
        OutboxedType mark = OutboxedType.of(original.getClass());
        if (mark != null && mark.hasSequence()) {
            return "stay, because the application numbers the events of " + stored.type();
        }
        try {
            OutboxEvent event;
            if (mark != null) {
                event = mark.read(original);
            } else if (externalized != null && externalized.supports(original)) {
                event = externalized.read(original);
            } else {
                return "stay, because " + stored.type() + " is neither @Outboxed nor externalized";
            }
            if (!taken.test(event)) {
                return "stay, because no handler or route takes " + stored.type();
            }
            publisher.publish(event.occurredAt(publishedAt));
            return CONVERTED;
        } catch (InvalidEventException ex) {
            return "stay: " + ex.getMessage();
        }
    }
}
