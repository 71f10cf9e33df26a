package dev.outbox.internal.absence;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.InstanceOfAssertFactories.throwable;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Expiry of a handler by command. */
class ExpireHandlerTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Recorded current = Recorded.all();

    @Test
    void deliveriesBecomeDeadAndTheRegistrationEnds() throws SQLException {
        List<EventEnvelope> events = leaveDeliveries(2);

        assertThat(operations().expireHandler("old", "ann", "removed in 2.0")).isTrue();

        assertThat(outbox.laneCodes()).containsExactly("1 DEAD HANDLER_EXPIRED", "2 DEAD HANDLER_EXPIRED");
        assertThat(events).allSatisfy((event) -> assertThat(outbox.event(event)).isDead());
        assertThat(subscriptions()).containsExactly("current *");
        assertThat(operations().operations(OperationSelection.all(), 10))
                .extracting(
                        Operation::performedBy,
                        Operation::action,
                        Operation::reason,
                        (one) -> one.subject().handlerId())
                .containsExactly(tuple("ann", "EXPIRE_HANDLER", "removed in 2.0", "old"));
        outbox.handler("current", "*", current).start();
        EventEnvelope later = outbox.publish("1", new OrderPlaced(3));
        assertThat(outbox.event(later)).becomesPublished();
        assertThat(current.handled()).hasSize(1);
    }

    @Test
    void secondCallChangesAndRecordsNothing() throws SQLException {
        leaveDeliveries(1);

        assertThat(operations().expireHandler("old", "ann", "removed")).isTrue();
        assertThat(operations().expireHandler("old", "bob", "removed")).isFalse();
        operations().skip(DeliverySelection.all().ofHandler("old"), "ann", "removed");
        assertThat(operations().expireHandler("old", "bob", "removed")).isFalse();

        assertThat(operations().operations(OperationSelection.all(), 10))
                .extracting(Operation::action, Operation::performedBy)
                .containsExactly(tuple("SKIP", "ann"), tuple("EXPIRE_HANDLER", "ann"));
    }

    @Test
    void registrationWithoutDeliveriesDisappears() throws SQLException {
        outbox.handler("current", "*", current).start();
        registerOld();

        assertThat(operations().expireHandler("old", "ann", "removed")).isTrue();
        assertThat(subscriptions()).containsExactly("current *");
        assertThat(outbox.registeredHandlers()).isEqualTo(1);
        assertThat(operations().expireHandler("old", "ann", "removed")).isFalse();
    }

    @Test
    void refusesHandlerOfRunningInstance() {
        outbox.handler(HandlerDefinition.of("current", Set.of("*"), current::handle)
                        .aliases("former"))
                .start();

        for (String id : List.of("current", "former")) {
            assertThatThrownBy(() -> operations().expireHandler(id, "ann", "removed"))
                    .asInstanceOf(throwable(InvalidOperationException.class))
                    .returns(Reason.HANDLER_PRESENT, InvalidOperationException::reason)
                    .hasMessageMatching("instance \\S+ has handler '" + id + "', or a handler with this id as an alias;"
                            + " stop every instance that has it, or pause the handler");
        }
        assertThat(subscriptions()).containsExactly("current *");
        assertThat(outbox.operations()).isZero();
    }

    /** The deliveries under the former id belong to the successor, which may only be stopped. */
    @Test
    void refusesFormerIdOfARegisteredHandler() throws SQLException {
        leaveDeliveries(1);
        register("new", List.of("old"));

        assertThatThrownBy(() -> operations().expireHandler("old", "ann", "removed"))
                .asInstanceOf(throwable(InvalidOperationException.class))
                .returns(Reason.HANDLER_RENAMED, InvalidOperationException::reason)
                .hasMessage("handler 'new' has 'old' as an alias and takes its deliveries; if it was removed too,"
                        + " expire 'new' first");
        assertThat(outbox.laneCodes()).containsExactly("1 OPEN");

        assertThat(operations().expireHandler("new", "ann", "removed")).isTrue();
        assertThat(operations().expireHandler("old", "ann", "removed")).isTrue();
        assertThat(outbox.laneCodes()).containsExactly("1 DEAD HANDLER_EXPIRED");
    }

    @Test
    void handlersWithEachOthersIdExpireOneAfterTheOther() throws SQLException {
        leaveDeliveries(1);
        register("old", List.of("new"));
        register("new", List.of("old"));

        assertThat(operations().expireHandler("old", "ann", "removed")).isTrue();
        assertThat(operations().expireHandler("new", "ann", "removed")).isTrue();
        assertThat(outbox.laneCodes()).containsExactly("1 DEAD HANDLER_EXPIRED");
    }

    @Test
    void anotherInstanceCompletesWhatACrashLeftUndone() throws SQLException {
        leaveDeliveries(2);
        new HandlerExpiryStore(outbox.dataSource(), OutboxSchema.DEFAULT)
                .expire("old", new AuditInfo("ann", "removed"));
        assertThat(outbox.laneCodes()).containsExactly("1 OPEN", "2 OPEN");

        new HandlerExpiry(outbox.dataSource(), OutboxSchema.DEFAULT).runOnce();
        assertThat(outbox.laneCodes()).containsExactly("1 DEAD HANDLER_EXPIRED", "2 DEAD HANDLER_EXPIRED");
        assertThat(operations().expireHandler("old", "ann", "removed")).isFalse();
    }

    /** Or a batch that was claimed before the command stores its outcome after it. */
    @Test
    void retriedDeliveryOfDeletedSubscriptionExpiresAgain() throws SQLException {
        leaveDeliveries(1);
        operations().expireHandler("old", "ann", "removed");
        operations().retry(DeliverySelection.all().ofHandler("old"), "ann", "once more");
        assertThat(outbox.laneCodes()).containsExactly("1 OPEN HANDLER_EXPIRED");

        new HandlerExpiry(outbox.dataSource(), OutboxSchema.DEFAULT).runOnce();
        assertThat(outbox.laneCodes()).containsExactly("1 DEAD HANDLER_EXPIRED");

        operations().retry(DeliverySelection.all().ofHandler("old"), "ann", "once more");
        assertThat(operations().expireHandler("old", "ann", "no")).isFalse();
        assertThat(outbox.laneCodes()).containsExactly("1 DEAD HANDLER_EXPIRED");
    }

    /** Otherwise the other instances would not know that they route its events again. */
    @Test
    void heartbeatDoesNotReviveAnExpiredSubscription() throws SQLException {
        leaveDeliveries(1);
        new HandlerExpiryStore(outbox.dataSource(), OutboxSchema.DEFAULT)
                .expire("old", new AuditInfo("ann", "removed"));

        HandlerStore store = new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT);
        assertThat(store.heartbeat(Map.of("old", Set.of(Subscription.ofType("*")))))
                .isFalse();
        assertThat(outbox.sql()
                        .sql(
                                "SELECT bool_and(last_seen_at = '-infinity') FROM events.outbox_subscription WHERE handler_id = 'old'")
                        .query(Boolean.class)
                        .single())
                .isTrue();
    }

    @Test
    void handlerThatRegistersMeanwhileKeepsItsDeliveries() throws SQLException {
        leaveDeliveries(1);
        new HandlerExpiryStore(outbox.dataSource(), OutboxSchema.DEFAULT)
                .expire("old", new AuditInfo("ann", "removed"));
        HandlerExpiryStore store = new HandlerExpiryStore(outbox.dataSource(), OutboxSchema.DEFAULT);
        try (OpenTransaction holder = OpenTransaction.of(outbox.owner())) {
            holder.run("SELECT FROM events.outbox_unpublished FOR UPDATE");
            CompletableFuture<List<HandlerExpiryStore.Dead>> dead =
                    InBackground.run(() -> store.deadLetter(Duration.ofDays(7), 10));
            outbox.awaitWaiting(1);
            registerOld();
            holder.rollback();
            assertThat(InBackground.result(dead)).isEmpty();
        }
        assertThat(outbox.laneCodes()).containsExactly("1 OPEN");
    }

    /** Leaves the registration of an instance that has ended. */
    private void registerOld() throws SQLException {
        register("old", List.of());
    }

    private void register(String id, List<String> aliases) throws SQLException {
        new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT)
                .register(Map.of(id, Set.of(Subscription.ofType("*"))), Map.of(id, aliases), Duration.ofDays(7));
    }

    private List<EventEnvelope> leaveDeliveries(int number) throws SQLException {
        registerOld();
        register("current", List.of());
        List<EventEnvelope> events = outbox.publishOrders("1", number);
        events.forEach((event) -> new Lanes(outbox).waiting("old", event));
        return events;
    }

    private OutboxOperations operations() {
        return Operator.of(outbox).operations();
    }

    private List<String> subscriptions() {
        return outbox.sql()
                .sql("SELECT concat_ws(' ', s.handler_id, s.event_type) FROM events.outbox_subscription s ORDER BY 1")
                .query(String.class)
                .list();
    }
}
