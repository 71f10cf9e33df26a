package dev.outbox.operations.internal.erase;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.retention.RetentionSteps;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import dev.outbox.operations.Count;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Erasable;
import dev.outbox.operations.OutboxOperations.Erased;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.operations.internal.operate.JdbcOperations;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

class EraseTest {

    private static final String MARKER = "Erika Mustermann";
    private static final Erasure CUSTOMER = Erasure.ofAggregate("customer", "42");
    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Lanes lanes = new Lanes(outbox);
    private final DataSource eraser = outbox.database().as("outbox_eraser");

    /** Events of each state, by their type. */
    record Handled(String name) {}

    record Archived(String name) {}

    record FailedOnce(String name) {}

    record Retrying(String name) {}

    record Dead(String name) {}

    record Skipped(String name) {}

    record Pending(String name) {}

    record Later(String name) {}

    @Test
    void leavesNoTraceInAnyTable() throws SQLException {
        publishInEveryState();
        EventEnvelope other = publish("43", new Handled(MARKER + " of another customer"));
        assertThat(tablesWith(MARKER))
                .containsExactly(
                        "audit.events",
                        "events.outbox_delivery",
                        "events.outbox_operation",
                        "events.outbox_published",
                        "events.outbox_scheduled",
                        "events.outbox_unpublished");

        Erased erased = erase(CUSTOMER.withoutDelivery());

        assertThat(erased.erased()).isEqualTo(7);
        assertThat(erased.remaining()).isEqualTo(Count.NONE);
        assertThat(erased.notReached()).hasSize(6).contains("topics that the events were forwarded to");
        assertThat(content(other)).contains(MARKER);
        lanes.published(other);
        outbox.sql().sql("DELETE FROM events.outbox WHERE aggregate_id = '43'").update();
        assertThat(tablesWith(MARKER)).isEmpty();
        assertThat(outbox.count(
                        "events.outbox_published WHERE erased_at IS NOT NULL AND payload = '{}' AND headers = '{}'"))
                .isEqualTo(6);
        assertThat(outbox.count("audit.events WHERE erased_at IS NOT NULL AND payload = '{}' AND headers = '{}'"))
                .isEqualTo(1);
        assertThat(outbox.deliveries() + outbox.lanes()).isZero();
        assertThat(actions()).contains("CANCEL_SCHEDULED", "ERASE", "SKIP", "WITHDRAW");
        assertThat(outbox.count("events.outbox_operation WHERE action = 'ERASE' AND performed_by = 'ann'"
                        + " AND reason = 'request 4711'"))
                .isEqualTo(7);
        assertThat(Operator.of(outbox).operations().commands(OperationSelection.all(), 100))
                .filteredOn((command) -> command.first().reason().equals("request 4711"))
                .extracting((command) -> command.first().action(), Operation.Command::entries)
                .containsOnlyOnce(
                        tuple("ERASE", new Count(7, true)),
                        tuple("WITHDRAW", new Count(1, true)),
                        tuple("CANCEL_SCHEDULED", new Count(1, true)));
        assertThat(erase(CUSTOMER).erased()).isZero();
    }

    @Test
    void undeliveredEventsAreRefusedWithTheirNumber() throws SQLException {
        publishInEveryState();
        List<String> before = dump();

        assertThatThrownBy(() -> erase(CUSTOMER))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessage(
                        "4 of the events to erase are not delivered: keep them for a later erasure (KEEP), or withdraw"
                                + " them (WITHDRAW)")
                .extracting((ex) -> ((InvalidOperationException) ex).reason())
                .isEqualTo(Reason.UNDELIVERED);

        assertThat(dump()).isEqualTo(before);
    }

    @Test
    void countsWhatItWouldErase() throws SQLException {
        publishInEveryState();
        publish("43", new Handled("of another customer"));
        List<String> before = dump();

        assertThat(operations(eraser).countErasable(CUSTOMER))
                .isEqualTo(new Erasable(new Count(8, true), new Count(4, true)));

        assertThat(dump()).isEqualTo(before);
        erase(CUSTOMER.withoutDelivery());
        assertThat(operations(eraser).countErasable(CUSTOMER)).isEqualTo(new Erasable(Count.NONE, Count.NONE));
    }

    @Test
    void erasesWhatIsDeliveredAndTheRestLater() throws SQLException {
        publishInEveryState();

        assertThat(erase(CUSTOMER.afterDelivery())).isEqualTo(Erased.of(4, new Count(4, true)));
        assertThat(tablesWith(MARKER)).contains("events.outbox_unpublished", "events.outbox_scheduled");
        assertThat(outbox.scheduled()).isEqualTo(1);
        assertThat(erase(CUSTOMER.afterDelivery())).isEqualTo(Erased.of(0, new Count(4, true)));

        Operator.of(outbox).operations().skip(DeliverySelection.all().ofAggregate("customer", "42"), "ann", "never");
        assertThat(erase(CUSTOMER.afterDelivery())).isEqualTo(Erased.of(2, new Count(2, true)));
        assertThat(erase(CUSTOMER.withoutDelivery())).isEqualTo(Erased.of(1, Count.NONE));
        assertThat(tablesWith(MARKER)).isEmpty();
    }

    /** A crash may have lost the claim of a worker that still trusts it. */
    @Test
    void withdrawsNothingUntilAClaimBeginsTheIncarnationAfterACrash() throws SQLException {
        publish("42", new Handled(MARKER));
        outbox.sql().sql("DELETE FROM events.outbox_incarnation").update();
        assertThat(erase(CUSTOMER.withoutDelivery())).isEqualTo(Erased.of(0, new Count(1, true)));

        outbox.sql().sql("INSERT INTO events.outbox_incarnation DEFAULT VALUES").update();
        assertThat(erase(CUSTOMER.withoutDelivery())).isEqualTo(Erased.of(1, Count.NONE));
        assertThat(outbox.sql()
                        .sql("SELECT skipped_handlers::text FROM events.outbox_status")
                        .query(String.class)
                        .single())
                .isEqualTo("{*}");
    }

    @Test
    void erasesEventsByTheirIds() throws SQLException {
        EventEnvelope first = publish("42", new Handled(MARKER));
        EventEnvelope archived = publish("42", new Handled(MARKER));
        EventEnvelope pending = publish("42", new Handled(MARKER));
        lanes.published(archived);
        RetentionSteps.archive(outbox);
        lanes.published(first);
        Erasure three =
                Erasure.ofEvents(List.of(first.eventId(), archived.eventId(), pending.eventId(), UUID.randomUUID()));

        assertThatThrownBy(() -> erase(three)).hasMessageStartingWith("1 of the events");
        assertThat(erase(three.afterDelivery())).isEqualTo(Erased.of(2, new Count(1, true)));
        assertThat(content(pending)).contains(MARKER);
        assertThat(erase(three.withoutDelivery())).isEqualTo(Erased.of(1, Count.NONE));
        assertThat(tablesWith(MARKER)).isEmpty();
    }

    @Test
    void erasesErrorsOfEventsThatRetentionDeletedByTheirIds() throws SQLException {
        EventEnvelope event = publish("42", new Handled(MARKER));
        lanes.dead("mail", event);
        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET last_error = '" + MARKER + "'")
                .update();
        Operator.of(outbox).operations().skip(DeliverySelection.all().ofHandler("mail"), "ann", "never");
        new RetentionSteps(outbox, Duration.ZERO, false, 100).next();
        assertThat(tablesWith(MARKER)).containsExactly("events.outbox_operation");

        erase(Erasure.ofEvents(List.of(event.eventId())));

        assertThat(tablesWith(MARKER)).isEmpty();
    }

    @Test
    void eventOfALeasedLaneStays() throws SQLException {
        EventEnvelope event = publish("42", new Handled(MARKER));
        lanes.failed("mail", event);
        lanes.locked("mail", event, "1 minute");

        assertThat(erase(CUSTOMER.withoutDelivery())).isEqualTo(Erased.of(0, new Count(1, true)));
        lanes.expired();
        assertThat(erase(CUSTOMER.withoutDelivery())).isEqualTo(Erased.of(1, Count.NONE));
    }

    @Test
    void expiredClaimKeepsAnEventUntilItIsDropped() throws SQLException {
        EventEnvelope event = publish("42", new Handled(MARKER));
        lanes.claimed(event, "-1 second");

        assertThat(erase(CUSTOMER.withoutDelivery())).isEqualTo(Erased.of(0, new Count(1, true)));
        outbox.loseClaims();
        assertThat(erase(CUSTOMER.withoutDelivery())).isEqualTo(Erased.of(1, Count.NONE));
        assertThat(outbox.event(event)).isPublished();
    }

    @Test
    void withdrawnEventIsSkippedForItsHandlers() {
        lanes.registered("mail", "{}", "Handled");
        EventEnvelope event = publish("42", new Handled(MARKER));
        erase(CUSTOMER.withoutDelivery());

        assertThat(details(event).operations()).extracting(Operation::action).containsExactly("ERASE", "WITHDRAW");
        outbox.sql().sql("DELETE FROM events.outbox_operation").update();
        assertThat(details(event).handlers())
                .extracting(EventDetails.HandlerProgress::outcome)
                .containsExactly(EventDetails.Outcome.SKIPPED);
    }

    private EventDetails details(EventEnvelope event) {
        return Operator.of(outbox).inspector().findEvent(event.eventId()).orElseThrow();
    }

    @Test
    void replayLeavesErasedEventsOut() throws SQLException {
        Recorded mail = Recorded.all();
        outbox.handler("mail", "*", mail).start();
        EventEnvelope erased = publish("42", new Handled(MARKER));
        EventEnvelope kept = publish("43", new Handled(MARKER));
        outbox.awaitPublished(2);
        erase(CUSTOMER);

        long all = Operator.of(outbox).replays().start(ReplayRequest.of("mail"), "ann", "lost");
        long one = Operator.of(outbox).replays().start(ReplayRequest.of("mail").event(erased.eventId()), "ann", "lost");

        await().until(() -> Stream.of(all, one)
                .allMatch((id) -> Operator.of(outbox)
                                .replays()
                                .find(id)
                                .orElseThrow()
                                .progress()
                                .finishedAt()
                        != null));
        await().until(() -> outbox.deliveries() == 0);
        assertThat(mail.handled())
                .extracting(EventEnvelope::eventId)
                .containsExactly(erased.eventId(), kept.eventId(), kept.eventId());
        assertThat(Operator.of(outbox)
                        .replays()
                        .countEvents(ReplayRequest.of("mail"))
                        .value())
                .isEqualTo(1);
    }

    /** A replay adds a delivery after the erasure has counted, and before it erases. */
    @Test
    void deliveryOfAReplayKeepsTheEvent() throws SQLException {
        EventEnvelope event = publish("42", new Handled(MARKER));
        lanes.published(event);
        lanes.waiting("mail", event);

        assertThatThrownBy(() -> erase(CUSTOMER)).hasMessageStartingWith("1 of the events");
        assertThat(erase(CUSTOMER.afterDelivery())).isEqualTo(Erased.of(0, new Count(1, true)));
        assertThat(erase(CUSTOMER.withoutDelivery())).isEqualTo(Erased.of(1, Count.NONE));
    }

    @Test
    void erasedEventCanStillBeReadAndArchived() throws SQLException {
        EventEnvelope event = publish("42", new Handled(MARKER));
        lanes.published(event);
        erase(CUSTOMER);

        EventDetails details =
                Operator.of(outbox).inspector().findEvent(event.eventId()).orElseThrow();
        assertThat(details.progress().erasedAt()).isNotNull();
        assertThat(details.operations()).extracting(Operation::action).containsExactly("ERASE");
        assertThat(Operator.of(outbox).inspector().findContent(event.eventId()))
                .contains(new EventDetails.Content("{}", Map.of()));
        EventEnvelope again = outbox.publish(
                OutboxEvent.of("customer", "42", new Handled("again")).withEventId(event.eventId()));
        assertThat(again.payload()).isEqualTo("{}");
        assertThat(outbox.events()).isEqualTo(1);

        RetentionSteps.archive(outbox);
        assertThat(outbox.count("audit.events WHERE erased_at IS NOT NULL")).isEqualTo(1);
        assertThat(erase(CUSTOMER).erased()).isZero();
    }

    @Test
    void endsWhileOthersPublish() {
        lanes.published(publish("42", new Handled(MARKER)));
        AtomicInteger connections = new AtomicInteger();
        DataSource busy = new DelegatingDataSource(eraser) {
            @Override
            public Connection getConnection() throws SQLException {
                assertThat(connections.incrementAndGet()).isLessThan(20);
                publish("43", new Handled(MARKER));
                return super.getConnection();
            }
        };

        assertThat(erase(busy, CUSTOMER)).isEqualTo(Erased.of(1, Count.NONE));
    }

    @Test
    void anotherCallContinuesWhereADeadProcessStopped() throws SQLException {
        int events = 1_200;
        AtomicInteger connections = new AtomicInteger();
        for (int number = 0; number < events; number++) {
            int last = number;
            EventEnvelope event = publish("42", new Handled(MARKER + last));
            if (number % 3 > 0) {
                lanes.published(event);
            } else if (number % 2 == 0) {
                lanes.dead("mail", event);
            }
        }
        schedule();

        int deaths = 0;
        long erased = 0;
        boolean done = false;
        while (!done) {
            int survives = ++deaths;
            connections.set(0);
            DataSource dying = new DelegatingDataSource(eraser) {
                @Override
                public Connection getConnection() throws SQLException {
                    if (connections.incrementAndGet() > survives) {
                        throw new SQLException("the process is dead", "08006");
                    }
                    return super.getConnection();
                }
            };
            try {
                erase(dying, CUSTOMER.withoutDelivery());
                done = true;
            } catch (DataAccessException dead) {
                assertThat(outbox.count("events.outbox WHERE (erased_at IS NULL) <> (payload <> '{}')"))
                        .isZero();
                assertThat(outbox.count("events.outbox o WHERE (erased_at IS NOT NULL) <> EXISTS (SELECT FROM"
                                + " events.outbox_operation p WHERE p.event_id = o.event_id AND p.action = 'ERASE')"))
                        .isZero();
                long now = outbox.count("events.outbox WHERE erased_at IS NOT NULL");
                assertThat(now).isGreaterThanOrEqualTo(erased);
                erased = now;
            }
        }

        assertThat(deaths).isGreaterThan(6);
        assertThat(outbox.count("events.outbox WHERE erased_at IS NOT NULL")).isEqualTo(events);
        assertThat(outbox.count("events.outbox_operation WHERE action = 'ERASE'"))
                .isEqualTo(events);
        assertThat(tablesWith(MARKER)).isEmpty();
    }

    @Test
    void roleWithoutTheGrantIsRefusedBeforeAnythingChanges() throws SQLException {
        publishInEveryState();
        List<String> before = dump();

        assertThatThrownBy(() -> erase(outbox.dataSource(), CUSTOMER.withoutDelivery()))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("the database refused to erase events: ERROR: permission denied for table outbox")
                .hasMessageContaining("dev/outbox/grants.sql gives to a worker and to an eraser");

        assertThat(dump()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "payload = '{}'",
                "headers = '{}'",
                "erased_at = now()",
                "payload = '{}', headers = '{}'",
                "payload = '{}', headers = '{}', erased_at = now()",
                "payload = '{}', headers = '{}', failures = NULL, erased_at = now()",
                "payload = '{\"a\": 1}', headers = '{}', last_error = NULL, failures = NULL, erased_at = now()",
                "payload = '{}', headers = '{}', last_error = NULL, failures = NULL, erased_at = now(), event_type = 'Other'",
                "payload = '{}', headers = '{}', last_error = NULL, failures = NULL, erased_at = now(), aggregate_id = '43'",
                "payload = '{}', headers = '{}', last_error = NULL, failures = NULL, erased_at = now(), retry_count = 7"
            })
    void triggerRefusesEveryOtherUpdate(String change) {
        EventEnvelope event = publish("42", new Handled(MARKER));
        lanes.dead("mail", event);
        outbox.sql().sql("UPDATE events.outbox SET failures = '{\"mail\": []}'").update();
        assertRefused("payload = '{}', headers = '{}', last_error = NULL, failures = NULL, erased_at = now()");
        lanes.published(event);

        assertRefused(change);
        outbox.sql()
                .sql("UPDATE events.outbox SET payload = '{}', headers = '{}', last_error = NULL, failures = NULL,"
                        + " erased_at = now()")
                .update();
        assertRefused(change);
        assertRefused("erased_at = NULL");
    }

    @ParameterizedTest
    @ValueSource(strings = {"outbox_publisher", "outbox_worker", "outbox_reader"})
    void noOtherRoleMayUpdateContent(String role) {
        assertThat(outbox.sql().sql("""
                        SELECT c.oid::regclass || '.' || a.attname
                          FROM pg_attribute a
                          JOIN pg_class c ON c.oid = a.attrelid
                         WHERE c.relnamespace IN ('events'::regnamespace, 'audit'::regnamespace)
                           AND c.relname ~ '^(outbox|outbox_(un)?published|events)$'
                           AND a.attname IN ('payload', 'headers', 'erased_at')
                           AND has_column_privilege(?, c.oid, a.attnum, 'UPDATE')
                        """).param(role).query(String.class).list()).isEmpty();
    }

    private void assertRefused(String change) {
        assertThatThrownBy(() ->
                        outbox.sql().sql("UPDATE events.outbox SET " + change).update())
                .as(change)
                .hasMessageContaining("is immutable: its payload, type, aggregate and identity never change");
    }

    /** Three delivered ones and an archived one; two with deliveries, one that waits for its first delivery, and a scheduled one. */
    private void publishInEveryState() throws SQLException {
        outbox.handler("archived", "Archived", Recorded.all())
                .handler("handled", "Handled", Recorded.all())
                .handler("once", "FailedOnce", failing((attempt) -> attempt == 1 ? new Exception(MARKER) : null))
                .handler("retrying", "Retrying", failing((attempt) -> new Exception(MARKER)))
                .handler("dead", "Dead", failing((attempt) -> new NonRetryableException(MARKER)))
                .handler("skipped", "Skipped", failing((attempt) -> new NonRetryableException(MARKER)))
                .handler(HandlerDefinition.of("pending", Set.of("Pending"), Recorded.all()))
                .poller(HOUR, 50, Duration.ofMinutes(1))
                .start();
        OutboxOperations operations = Operator.of(outbox).operations();
        publish("42", new Archived(MARKER));
        outbox.awaitPublished(1);
        RetentionSteps.archive(outbox);
        publish("42", new Handled(MARKER));
        publish("42", new FailedOnce(MARKER));
        publish("42", new Retrying(MARKER));
        publish("42", new Dead(MARKER));
        publish("42", new Skipped(MARKER));
        await().until(() -> outbox.count("events.outbox_delivery WHERE retry_count = 1") == 4);
        operations.skip(DeliverySelection.all().ofHandler("skipped"), "ann", "never");
        operations.retry(DeliverySelection.all().ofHandler("once"), "ann", "mended");
        outbox.awaitPublished(3);
        operations.pauseStream("default", "ann", "to wait");
        outbox.runtime().close();
        publish("42", new Pending(MARKER));
        schedule();
    }

    private static Recorded failing(IntFunction<Exception> failure) {
        return Recorded.failing((attempt) -> failure.apply(attempt.number()));
    }

    private EventEnvelope publish(String id, Object payload) {
        return outbox.publish(OutboxEvent.of("customer", id, payload).withHeader("name", MARKER));
    }

    private void schedule() {
        outbox.publish(OutboxEvent.of("customer", "42", new Later(MARKER)).deliverAfter(HOUR));
    }

    private Erased erase(Erasure erasure) {
        return erase(eraser, erasure);
    }

    private static Erased erase(DataSource dataSource, Erasure erasure) {
        return operations(dataSource).erase(erasure, "ann", "request 4711");
    }

    private static OutboxOperations operations(DataSource dataSource) {
        return new JdbcOperations(
                dataSource, OutboxSchema.DEFAULT, OutboxSchema.DEFAULT_ARCHIVE, OutboxListener.NONE, (stream) -> {});
    }

    private String content(EventEnvelope event) {
        return outbox.sql()
                .sql("SELECT payload::text || headers::text FROM events.outbox WHERE id = ?")
                .param(event.id())
                .query(String.class)
                .single();
    }

    private Set<String> actions() {
        return new TreeSet<>(Operator.of(outbox).operations().operations(OperationSelection.all(), 1000).stream()
                .map(Operation::action)
                .toList());
    }

    /** Every row of both schemas, as text, after the name of its table. */
    private List<String> dump() {
        JdbcClient sql = outbox.sql();
        return sql
                .sql("SELECT c.oid::regclass::text FROM pg_class c WHERE c.relkind = 'r'"
                        + " AND c.relnamespace IN ('events'::regnamespace, 'audit'::regnamespace) ORDER BY 1")
                .query(String.class)
                .list()
                .stream()
                .flatMap((table) ->
                        sql.sql("SELECT t::text FROM " + table + " t ORDER BY 1").query(String.class).list().stream()
                                .map((row) -> table + " " + row))
                .toList();
    }

    private Set<String> tablesWith(String text) {
        return new TreeSet<>(dump().stream()
                .filter((row) -> row.contains(text))
                .map((row) -> row.substring(0, row.indexOf(' ')))
                .toList());
    }
}
