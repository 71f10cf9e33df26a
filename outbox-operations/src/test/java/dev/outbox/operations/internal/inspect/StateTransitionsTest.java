package dev.outbox.operations.internal.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.Transitions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Triggers of the test databases refuse all transitions but {@link Transitions}, which the documentation lists. */
class StateTransitionsTest {

    private static final List<String> EVENT_STATES = List.of("PENDING", "RETRYING", "PUBLISHED", "DEAD");
    private static final List<String> DELIVERY_STATES = List.of("OPEN", "BLOCKING", "DEAD");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void transitionsAreThoseOfTheDocumentation() throws IOException {
        for (String name : List.of("docs/states.md", "verification/pages.md")) {
            String page = Files.readString(Path.of("..").resolve(name));
            assertThat(documented(section(page, "Events"))).as(name).isEqualTo(Transitions.OF_EVENTS);
            assertThat(documented(section(page, "Deliveries"))).as(name).isEqualTo(Transitions.OF_DELIVERIES);
        }
    }

    @Test
    void statesAreThoseThatTheTablesAllow() {
        Set<String> events = states(Transitions.OF_EVENTS);
        Set<String> deliveries = states(Transitions.OF_DELIVERIES);
        assertThat(events).containsExactlyInAnyOrderElementsOf(EVENT_STATES);
        assertThat(deliveries).containsExactlyInAnyOrderElementsOf(DELIVERY_STATES);
        assertThat(function("outbox_refuse_state")).contains(EVENT_STATES).doesNotContain("PROCESSING");
        assertThat(check("outbox_published_state")).contains("'PUBLISHED'");
        assertThat(check("outbox_delivery_state")).contains(DELIVERY_STATES);
    }

    @Test
    void refusesStateThatContradictsItsTimes() {
        outbox.publish("1", new OrderPlaced(1));
        for (String change : List.of(
                "status = 'DEAD'",
                "status = 'LOST'",
                "dispatched_at = now()",
                "dispatched_at = now(), status = 'PUBLISHED'",
                "published_at = now(), status = 'PUBLISHED'",
                "published_at = now(), dispatched_at = now()")) {
            assertThatThrownBy(() -> outbox.sql()
                            .sql("UPDATE events.outbox SET " + change)
                            .update())
                    .as(change)
                    .hasStackTraceContaining("cannot be");
        }
        assertThatThrownBy(() -> outbox.sql()
                        .sql("WITH moved AS (DELETE FROM events.outbox_unpublished RETURNING *)"
                                + " INSERT INTO events.outbox_published (id, event_id, stream, aggregate_type, aggregate_id,"
                                + " aggregate_seq, event_type, payload, published_at)"
                                + " SELECT id, event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type,"
                                + " payload, now() FROM moved")
                        .update())
                .hasStackTraceContaining("outbox_published_state");
        assertThat(outbox.unpublished()).isEqualTo(1);
    }

    @Test
    void everyOtherTransitionOfAnEventIsRefused() {
        outbox.sql().sql("DROP TRIGGER outbox_state ON events.outbox").update();
        for (String from : EVENT_STATES) {
            for (String to : EVENT_STATES) {
                if (!Transitions.OF_EVENTS.contains(from + " " + to) && !from.equals("PUBLISHED")) {
                    EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
                    unguarded("outbox_unpublished", "UPDATE events.outbox_unpublished SET status = '" + from + "'");
                    assertThatThrownBy(() -> outbox.sql()
                                    .sql("UPDATE events.outbox_unpublished SET status = ? WHERE id = ?")
                                    .params(to, event.id())
                                    .update())
                            .as(from + " to " + to)
                            .hasStackTraceContaining(to.equals("PUBLISHED") ? "outbox" : "no such transition");
                }
            }
        }
    }

    @Test
    void refusesEventThatLeavesQueueWithoutHistory() {
        outbox.publish("1", new OrderPlaced(1));
        assertThatThrownBy(() -> outbox.sql()
                        .sql("DELETE FROM events.outbox_unpublished")
                        .update())
                .hasStackTraceContaining("left the queue");
        assertThat(outbox.events()).isEqualTo(1);
    }

    @Test
    void publishedEventStaysPublished() {
        outbox.publish("1", new OrderPlaced(1));
        outbox.runtime().start();
        outbox.awaitPublished(1);
        for (String to : List.of("PENDING", "RETRYING", "DEAD")) {
            assertThatThrownBy(() -> outbox.sql()
                            .sql("UPDATE events.outbox_published SET status = ?")
                            .param(to)
                            .update())
                    .hasStackTraceContaining("outbox");
        }
    }

    private void unguarded(String table, String sql) {
        outbox.sql()
                .sql("ALTER TABLE events." + table + " DISABLE TRIGGER transitions")
                .update();
        outbox.sql().sql(sql).update();
        outbox.sql()
                .sql("ALTER TABLE events." + table + " ENABLE TRIGGER transitions")
                .update();
    }

    private String check(String constraint) {
        return outbox.sql()
                .sql("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = ? LIMIT 1")
                .param(constraint)
                .query(String.class)
                .single();
    }

    private String function(String name) {
        return outbox.sql()
                .sql("SELECT prosrc FROM pg_proc WHERE proname = ?")
                .param(name)
                .query(String.class)
                .single();
    }

    private static Set<String> states(Set<String> transitions) {
        return transitions.stream()
                .flatMap((transition) -> List.of(transition.split(" ")).stream())
                .filter((state) -> !state.equals("NONE"))
                .collect(Collectors.toSet());
    }

    private static String section(String page, String title) {
        int begin = page.indexOf("# " + title);
        int end = page.indexOf("\n##", begin + 1);
        return page.substring(begin, end < 0 ? page.length() : end);
    }

    /** The first two columns of a table; PROCESSING is no state of the column, see there. */
    private static Set<String> documented(String section) {
        return Pattern.compile("^\\| `?(\\w+)`? \\| `?(\\w+)`? \\|", Pattern.MULTILINE)
                .matcher(section)
                .results()
                .map((row) -> row.group(1) + " " + row.group(2))
                .filter((transition) -> !transition.equals("from to"))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
