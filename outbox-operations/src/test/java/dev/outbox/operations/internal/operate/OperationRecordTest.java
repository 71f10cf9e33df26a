package dev.outbox.operations.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import com.zaxxer.hikari.HikariConfig;
import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import dev.outbox.operations.Count;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.fixture.Operator;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

class OperationRecordTest {

    private static final DeliverySelection ALL = DeliverySelection.all();
    private static final OperationSelection EVERY = OperationSelection.all();

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create(asDurableAs("remote_apply"));

    private final Lanes lanes = new Lanes(outbox);

    private static HikariConfig asDurableAs(String synchronousCommit) {
        HikariConfig pool = new HikariConfig();
        pool.setConnectionInitSql("SET synchronous_commit = '" + synchronousCommit + "'");
        return pool;
    }

    @Test
    void recordsEveryChangedDelivery() {
        List<EventEnvelope> events = outbox.publishOrders("1", 2);
        lanes.dead("mail", events.get(0));
        lanes.failed("mail", events.get(1));
        lanes.waiting("audit", events.get(1));
        operations().retry(ALL.ofHandler("mail"), "ann", "mail is back");
        operations().skip(ALL.ofHandler("audit"), "bob", "not needed");

        List<Operation> found = operations().operations(EVERY, 10);
        assertThat(found)
                .extracting(Operation::performedBy, Operation::action, Operation::reason, Operation::subject)
                .containsExactly(
                        tuple(
                                "bob",
                                "SKIP",
                                "not needed",
                                new Operation.Subject(
                                        "default", "audit", events.get(1).eventId(), DeliveryStatus.OPEN, null)),
                        tuple(
                                "ann",
                                "RETRY",
                                "mail is back",
                                new Operation.Subject(
                                        "default",
                                        "mail",
                                        events.get(1).eventId(),
                                        DeliveryStatus.OPEN,
                                        new Delivery.Failure("IOException", "no route"))),
                        tuple(
                                "ann",
                                "RETRY",
                                "mail is back",
                                new Operation.Subject(
                                        "default",
                                        "mail",
                                        events.get(0).eventId(),
                                        DeliveryStatus.DEAD,
                                        new Delivery.Failure("IOException", "no route"))));
        assertThat(found)
                .allSatisfy(
                        (one) -> assertThat(one.performedAt()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES)));
    }

    @Test
    void findsRecordsByEventHandlerOperatorTimeAndPage() {
        List<EventEnvelope> events = outbox.publishOrders("1", 3);
        events.forEach((event) -> lanes.dead("mail", event));
        lanes.dead("audit", events.get(0));
        operations().retry(ALL.ofHandler("mail"), "ann", "mail is back");
        operations().skip(ALL.ofHandler("audit"), "bob", "not needed");
        outbox.sql()
                .sql("UPDATE events.outbox_operation SET performed_at = '2001-01-01Z' WHERE id = 3")
                .update();
        Instant year2001 = Instant.parse("2001-01-01T00:00:00Z");

        assertThat(ids(EVERY)).containsExactly(6L, 4L, 3L, 2L);
        assertThat(ids(OperationSelection.ofEvent(events.get(0).eventId()))).containsExactly(6L, 2L);
        assertThat(ids(OperationSelection.ofHandler("mail"))).containsExactly(4L, 3L, 2L);
        assertThat(ids(new OperationSelection(null, null, "bob", null, null, null, null)))
                .containsExactly(6L);
        assertThat(ids(performed(null, year2001.plusSeconds(1)))).containsExactly(3L);
        assertThat(ids(performed(year2001.plusSeconds(1), null))).containsExactly(6L, 4L, 2L);
        assertThat(ids(new OperationSelection(null, "mail", null, null, null, 4L, null)))
                .containsExactly(3L, 2L);
        assertThat(operations().operations(EVERY, 2)).extracting(Operation::id).containsExactly(6L, 4L);
    }

    @Test
    void commandsHaveTheirOwnOperations() {
        outbox.publishOrders("1", 3).forEach((event) -> lanes.dead("mail", event));
        operations().pauseNewHandler("mail", "ann", "mail is down");
        operations().retry(ALL.ofHandler("mail"), "ann", "mail is back");
        EventEnvelope event = outbox.publishOrders("2", 1).get(0);
        lanes.dead("mail", event);
        operations().retry(ALL.ofHandler("mail"), "ann", "mail is back");
        lanes.dead("audit", event);
        operations().skip(ALL.ofEvent(event.eventId()), "bob", "obsolete");

        List<Operation.Command> commands = operations().commands(EVERY, 10);
        assertThat(commands)
                .extracting(
                        (command) -> command.first().action(),
                        Operation.Command::entries,
                        (command) -> command.first().subject().handlerId())
                .containsExactly(
                        tuple("SKIP", new Count(2, true), null),
                        tuple("RETRY", new Count(1, true), "mail"),
                        tuple("RETRY", new Count(3, true), "mail"),
                        tuple("PAUSE_HANDLER", new Count(1, true), "mail"));
        Operation.Command three = commands.get(2);
        assertThat(ids(OperationSelection.ofCommand(three.id(), null)))
                .containsExactly(
                        three.first().id() + 2,
                        three.first().id() + 1,
                        three.first().id());
        assertThat(ids(OperationSelection.ofCommand(three.id(), three.first().id() + 2)))
                .containsExactly(three.first().id() + 1, three.first().id());
        assertThat(operations().commands(EVERY, 2)).isEqualTo(commands.subList(0, 2));
        assertThat(commands(null, null, commands.get(1).id())).isEqualTo(commands.subList(2, 4));
        assertThat(commands("audit", null, null)).isEqualTo(commands.subList(0, 1));
        assertThat(commands(null, "ann", null)).isEqualTo(commands.subList(1, 4));
        assertThat(operations().commands(OperationSelection.ofEvent(event.eventId()), 10))
                .extracting(Operation.Command::entries)
                .containsExactly(new Count(1, true), new Count(1, true), new Count(1, true));
    }

    private List<Operation.Command> commands(
            @Nullable String handlerId, @Nullable String by, @Nullable Long olderThan) {
        return operations().commands(new OperationSelection(null, handlerId, by, null, null, olderThan, null), 10);
    }

    @Test
    void largeCommandIsListedOnceWithOneFigure() {
        addCommand(1, 30_000);
        addCommand(40_000, 10_000);
        List<Operation.Command> before = operations().commands(EVERY, 10);
        addCommand(60_000, 300);

        List<Operation.Command> commands = operations().commands(EVERY, 10);
        assertThat(commands)
                .extracting(Operation.Command::id, Operation.Command::entries)
                .containsExactly(
                        tuple(60_000L, new Count(300, true)),
                        tuple(40_000L, new Count(10_000, false)),
                        tuple(1L, new Count(10_000, false)));
        assertThat(commands.subList(1, 3)).isEqualTo(before);
        assertThat(commands(null, null, 40_000L)).isEqualTo(commands.subList(2, 3));
    }

    /** Adds a command whose number is the one before the ids of its operations. */
    private void addCommand(long id, int entries) {
        outbox.sql().sql("""
                INSERT INTO events.outbox_operation (id, performed_by, action, reason, command_id, handler_id, event_id)
                SELECT :id + n, 'ann', 'RETRY', 'mail is back', :id, 'mail', gen_random_uuid() FROM generate_series(1, :entries) n
                """).param("id", id).param("entries", entries).update();
    }

    private static OperationSelection performed(@Nullable Instant since, @Nullable Instant before) {
        return new OperationSelection(null, null, null, since, before, null, null);
    }

    private List<Long> ids(OperationSelection selection) {
        return operations().operations(selection, 100).stream()
                .map(Operation::id)
                .toList();
    }

    @Test
    void operationCommitsDurablyWithItsRecord() {
        lanes.dead("mail", outbox.publishOrders("1", 1).get(0));
        outbox.sql().sql("CREATE TABLE seen AS SELECT ''::text AS durability").update();
        outbox.sql().sql("""
                CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    INSERT INTO public.seen VALUES (current_setting('synchronous_commit'));
                    RETURN NEW;
                END $$;
                CREATE TRIGGER watch BEFORE INSERT ON events.outbox_operation FOR EACH ROW EXECUTE FUNCTION watch();
                CREATE TRIGGER watch BEFORE INSERT ON events.outbox_stream FOR EACH ROW EXECUTE FUNCTION watch();
                """).update();

        operations().retry(ALL.ofHandler("mail"), "ann", "mail is back");
        assertThat(seen()).containsExactly("", "remote_apply");
        outbox.start();
        org.awaitility.Awaitility.await().until(() -> seen().size() > 2);
        assertThat(seen()).containsExactly("", "remote_apply", "off");

        lanes.dead("mail", outbox.publishOrders("2", 1).get(0));
        outbox.sql()
                .sql("ALTER TABLE events.outbox_operation ADD CONSTRAINT broken CHECK (reason <> 'refused')")
                .update();
        assertThatThrownBy(() -> operations().retry(ALL.ofHandler("mail"), "ann", "refused"))
                .isInstanceOf(DataAccessException.class);
        assertThat(lanes.of("mail", "2")).containsExactly("1 DEAD 3");
    }

    private List<String> seen() {
        return outbox.sql()
                .sql("SELECT durability FROM seen")
                .query(String.class)
                .list();
    }

    @Test
    void leavesTheCallersTransactionAlone() {
        lanes.dead("mail", outbox.publishOrders("1", 1).get(0));
        OutboxOperations own = new JdbcOperations(
                new TransactionAwareDataSourceProxy(outbox.dataSource()),
                OutboxSchema.DEFAULT,
                OutboxSchema.DEFAULT_ARCHIVE,
                OutboxListener.NONE,
                (stream) -> {});

        assertThatThrownBy(() -> outbox.inTransaction(() -> {
                    outbox.publisher().publish("order", "2", new OrderPlaced(1));
                    assertThat(own.retry(ALL.ofHandler("mail"), "ann", "mail is back")
                                    .affected())
                            .isEqualTo(1);
                    throw new IllegalStateException("rolled back");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(lanes.of("mail", "1")).containsExactly("1 OPEN 0");
        assertThat(outbox.operations()).isEqualTo(1);
        assertThat(outbox.events()).isEqualTo(1);
    }

    private OutboxOperations operations() {
        return Operator.of(outbox).operations();
    }
}
