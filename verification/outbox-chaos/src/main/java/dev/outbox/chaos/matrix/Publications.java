package dev.outbox.chaos.matrix;

import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.process.Publisher;
import dev.outbox.chaos.process.Publisher.Act;
import dev.outbox.chaos.process.Publisher.Deadline;
import dev.outbox.chaos.process.Publisher.Plan;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionSystemException;
import tools.jackson.databind.json.JsonMapper;

/** Publishes the events of scenarios. */
final class Publications {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Map<String, String> HEADERS = Map.of("tenant", "t-1", "note", "a \"quoted\" value");

    private final Publisher publisher;
    private int number;

    /** An event that is to be published, or if there is a delay, scheduled. A scheduled event gets another id. */
    record Planned(IntendedEvent event, @Nullable Duration delay) {

        static Planned of(String aggregateType, String aggregateId, Work work) {
            String payload = JSON.writeValueAsString(work);
            return new Planned(
                    new IntendedEvent(UUID.randomUUID(), Work.TYPE, aggregateType, aggregateId, payload, HEADERS),
                    null);
        }

        Planned dueAfter(Duration time) {
            return new Planned(event, time);
        }

        UUID eventId() {
            return event.eventId();
        }
    }

    Publications(Publisher publisher) {
        this.publisher = publisher;
    }

    int nextNumber() {
        return number++;
    }

    /** Plans an event of one of four orders. */
    Planned order(Work work) {
        return Planned.of("order", "o-" + work.number() % 4, work);
    }

    /** Publishes events in one transaction and commits it. */
    void publish(Planned... events) {
        run(Commit.COMMITTED, events);
    }

    /** Publishes events in one transaction and rolls it back. */
    void abort(Planned... events) {
        run(Commit.ABORTED, events);
    }

    private void run(Commit expected, Planned... planned) {
        Trap.awaitNoneHeld();
        List<IntendedEvent> events = Arrays.stream(planned)
                .map(Planned::event)
                .sorted(Comparator.comparing(IntendedEvent::aggregateId))
                .toList();
        Map<UUID, Deadline> deadlines = new HashMap<>();
        for (Planned event : planned) {
            if (event.delay() != null) {
                deadlines.put(event.eventId(), new Deadline(Act.AFTER, event.delay(), null));
            }
        }
        Commit outcome = publisher.publish(new Plan(events, deadlines, expected == Commit.ABORTED, false));
        if (outcome != expected) {
            throw new TransactionSystemException("The transaction of a scenario is " + outcome);
        }
    }
}
