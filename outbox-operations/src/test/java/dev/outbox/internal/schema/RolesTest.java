package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.gauges.GaugeSteps;
import dev.outbox.operations.EventSelection;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.fixture.Operator;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What each role of grants.sql may do through the library. */
class RolesTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final TestOutbox publisher = outbox.another("outbox_publisher").withoutPolling();
    private final TestOutbox worker = outbox.another("outbox_worker");
    private final TestOutbox reader = outbox.another("outbox_reader").withoutPolling();

    @Test
    void publisherStoresWhatWorkerDelivers() {
        AtomicInteger handled = new AtomicInteger();
        worker.handler("mail", "OrderPlaced", (event) -> handled.incrementAndGet())
                .start();

        publisher.publish("1", new OrderPlaced(1));
        publisher.inTransaction(() -> publisher.publisher().publishAll(List.of(order("1"), order("2"))));
        publisher.publish(OutboxEvent.of("invoice", "3", new OrderPlaced(1)).withSequence(7));

        await().until(() -> handled.get() == 4 && outbox.published() == 4);
    }

    @Test
    void chosenEventIdsNeedTheirPayloads() {
        UUID id = UUID.randomUUID();

        assertThatThrownBy(() -> publish(publisher, id))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("permission denied for table outbox")
                .hasMessageContaining("SELECT (payload, headers)");

        outbox.sql()
                .sql("GRANT SELECT (payload, headers) ON events.outbox TO outbox_publisher")
                .update();
        EventEnvelope first = publish(publisher, id);

        assertThat(publish(publisher, id).id()).isEqualTo(first.id());
        assertThat(outbox.events()).isEqualTo(1);
    }

    @Test
    void publisherBeginsNoIncarnation() {
        outbox.sql().sql("DELETE FROM events.outbox_incarnation").update();

        RefusedStatementsTest.assertRefused(publisher, "SELECT events.outbox_begin_incarnation()");
    }

    @Test
    void workerDoesNotPublish() {
        assertThatThrownBy(() -> worker.publish("1", new OrderPlaced(1)))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("refused to publish an event: ERROR: permission denied for table outbox_")
                .hasMessageContaining("dev/outbox/grants.sql gives to a publisher");
    }

    @Test
    void readerSeesStatesButNoContent() throws SQLException {
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        OutboxInspector inspector = Operator.of(reader).inspector();
        EventSelection ofTrace = new EventSelection("order", "1", null, "t1", null, null);

        assertThat(JdbcClient.create(reader.dataSource())
                        .sql("SELECT status FROM events.outbox_status WHERE id = ?")
                        .param(event.id())
                        .query(String.class)
                        .single())
                .isEqualTo("PENDING");
        assertThat(GaugeSteps.count(reader.dataSource())
                        .get("default")
                        .pending()
                        .value())
                .isEqualTo(1);
        assertThat(inspector.findEvent(event.eventId())).isPresent();
        assertThatThrownBy(() -> inspector.findContent(event.eventId()))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("refused to read the content of an event");
        assertThatThrownBy(() -> inspector.findEvents(ofTrace, 1)).isInstanceOf(OutboxConfigurationException.class);
        assertThat(Operator.of(worker).inspector().findEvents(ofTrace, 1).events())
                .isEmpty();
    }

    @Test
    void readerWritesNothing() {
        assertThat(outbox.sql().sql("""
                                SELECT c.relname || ' ' || p
                                  FROM pg_class c
                                  JOIN pg_namespace n ON n.oid = c.relnamespace
                                 CROSS JOIN unnest(CASE c.relkind WHEN 'S' THEN ARRAY['UPDATE', 'USAGE']
                                                   ELSE ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER'] END) p
                                 WHERE n.nspname IN ('events', 'audit')
                                   AND c.relkind IN ('r', 'p', 'v', 'S')
                                   AND CASE WHEN c.relkind = 'S' THEN has_sequence_privilege('outbox_reader', c.oid, p)
                                            WHEN p IN ('INSERT', 'UPDATE')
                                            THEN has_any_column_privilege('outbox_reader', c.oid, p)
                                            ELSE has_table_privilege('outbox_reader', c.oid, p) END
                                """).query(String.class).list()).isEmpty();
        assertThatThrownBy(() -> Operator.of(reader).operations().pauseStream("default", "ann", "to see"))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("refused to pause a stream")
                .hasMessageContaining("gives to a worker");
    }

    private static EventEnvelope publish(TestOutbox role, UUID id) {
        return role.publish(order("1").withEventId(id));
    }

    private static OutboxEvent order(String aggregateId) {
        return OutboxEvent.of("order", aggregateId, new OrderPlaced(1));
    }
}
