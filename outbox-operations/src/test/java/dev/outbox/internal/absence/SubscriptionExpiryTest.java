package dev.outbox.internal.absence;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.InstanceOfAssertFactories.throwable;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OnDead;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.LocalHandlers;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.Guarantee;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A handler that takes fewer events than an earlier version of it. */
class SubscriptionExpiryTest {

    private static final Subscription PLACED = Subscription.ofType("OrderPlaced");
    private static final Subscription PAID = Subscription.ofType("OrderPaid");
    private static final Subscription EVERYTHING = Subscription.ofType("*");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final TestOutbox wide = outbox.another();
    private final HandlerStore registry = new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final HandlerExpiry expiry = new HandlerExpiry(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final Recorded byWide = Recorded.all();
    private final Recorded handled = Recorded.all();

    @Test
    @Guarantee(
            value = "G4",
            sentence =
                    "Events that a handler takes no more hold up its later ones for 15 minutes at most, and end visibly.")
    void lanesContinueWhenTheSubscriptionExpires() throws SQLException {
        register("billing", PLACED, PAID);
        outbox.handler("billing", "OrderPlaced", handled).start();
        EventEnvelope paid = outbox.publish("1", new OrderPaid(1));
        List<EventEnvelope> behind =
                List.of(outbox.publish("1", new OrderPlaced(2)), outbox.publish("1", new OrderPlaced(3)));
        await().until(() -> outbox.deliveries() == 3);
        outbox.runtime().close();
        seen("OrderPaid", "14 min 58 s");

        outbox.start();
        await().atMost(Duration.ofSeconds(17))
                .untilAsserted(() -> assertThat(behind)
                        .allSatisfy((event) -> assertThat(outbox.event(event)).isPublished()));
        assertThat(outbox.laneCodes()).containsExactly("1 DEAD NOT_SELECTED");
        assertThat(outbox.event(paid)).isDead();
        assertThat(handled.sequences()).containsEntry("1", List.of(2L, 3L));
        assertThat(operations().operations(OperationSelection.all(), 10))
                .singleElement()
                .satisfies((one) -> {
                    assertThat(one.action()).isEqualTo("EXPIRE_SUBSCRIPTION");
                    assertThat(one.performedBy()).isEqualTo("the outbox");
                    assertThat(one.subject().handlerId()).isEqualTo("billing");
                    assertThat(one.reason()).startsWith("OrderPaid: no instance has renewed the subscription since 20");
                });
        EventEnvelope later = outbox.publish("1", new OrderPaid(4));
        assertThat(outbox.event(later)).becomesPublished();
    }

    @Test
    @Guarantee(
            value = "G2",
            sentence = "What a handler did not take reaches it by a retry when it takes such events again.")
    void retryDeliversWhenTheSelectionComesBack() throws SQLException {
        register("billing", EVERYTHING);
        outbox.handler("billing", "OrderPlaced", handled).start();
        outbox.publish("1", new OrderPaid(1));
        outbox.publish("1", new OrderPaid(2));
        EventEnvelope behind = outbox.publish("1", new OrderPlaced(3));
        await().until(() -> outbox.deliveries() == 3);
        expire("*");
        assertThat(outbox.event(behind)).becomesPublished();
        assertThat(outbox.laneCodes()).containsExactly("1 DEAD NOT_SELECTED", "2 DEAD NOT_SELECTED");

        wide.handler("billing", "*", byWide).start();
        assertThat(operations()
                        .retry(
                                DeliverySelection.all().ofHandler("billing").withErrorCode("NOT_SELECTED"),
                                "ann",
                                "back")
                        .affected())
                .isEqualTo(2);
        await().until(() -> outbox.deliveries() == 0);
        assertThat(byWide.sequences()).containsEntry("1", List.of(1L, 2L));
    }

    /** Or a batch that was claimed before the expiry has stored its outcome after it. */
    @Test
    void retryBeforeTheSelectionComesBackHoldsUpNothing() throws SQLException {
        register("billing", PAID);
        outbox.handler("billing", "OrderPlaced", handled).start();
        outbox.publish("1", new OrderPaid(1));
        await().until(() -> outbox.deliveries() == 1);
        expire("OrderPaid");
        outbox.runtime().close();
        operations().retry(DeliverySelection.all().ofHandler("billing"), "ann", "too early");
        EventEnvelope behind = outbox.publish("1", new OrderPlaced(2));

        assertThat(expiry.report(new LocalHandlers(List.of()))).isTrue();
        outbox.start();
        assertThat(outbox.event(behind)).becomesPublished();
        assertThat(outbox.laneCodes()).containsExactly("1 DEAD NOT_SELECTED");
    }

    /** A rolling deployment may last for hours. */
    @Test
    void versionsThatRunKeepTheirSubscriptions() throws SQLException {
        register("billing", PLACED);
        register("billing", PLACED, PAID);
        for (int round = 0; round < 5; round++) {
            seen("%", "4 min");
            assertThat(registry.heartbeat(Map.of("billing", Set.of(PLACED)))).isTrue();
            assertThat(expiry.expireSubscriptions()).isFalse();
            assertThat(registry.heartbeat(Map.of("billing", Set.of(PLACED, PAID))))
                    .isTrue();
            assertThat(expiry.expireSubscriptions()).isFalse();
        }
    }

    /** All its instances were suspended or switched off, while those of another handler ran. */
    @Test
    void clockOfAHandlerStandsStillWhileNoInstanceHasIt() throws SQLException {
        register("mail", EVERYTHING);
        register("billing", PLACED, PAID);
        seen("OrderPaid", "1 day");
        seen("OrderPlaced", "1 day");
        assertThat(expiry.untilSubscriptionExpires()).isEmpty();

        registry.register(Map.of("billing", Set.of(PLACED)), Map.of(), HandlerStore.STANDSTILL);
        registry.heartbeat(Map.of("billing", Set.of(PLACED)));
        assertThat(expiry.expireSubscriptions()).isFalse();
        assertThat(subscriptions()).containsExactly("billing OrderPaid", "billing OrderPlaced", "mail *");
        seen("OrderPaid", "16 min");
        assertThat(expiry.expireSubscriptions()).isTrue();
        assertThat(subscriptions()).containsExactly("billing OrderPlaced", "mail *");
    }

    /** Or a restored backup, or a clock that was set: the first instance that comes back moves the clock. */
    @Test
    void standstillOfAllHandlersExpiresNothing() throws SQLException {
        register("billing", PLACED, PAID);
        seen("%", "2 h");
        assertThat(expiry.expireSubscriptions()).isFalse();
        registry.register(Map.of("billing", Set.of(PLACED)), Map.of(), HandlerStore.STANDSTILL);
        registry.heartbeat(Map.of("billing", Set.of(PLACED)));
        assertThat(expiry.expireSubscriptions()).isFalse();
    }

    @Test
    void suspendedInstanceRegistersBeforeItDispatches() throws SQLException {
        HandlerRegistry suspended = new HandlerRegistry(
                () -> List.of(HandlerDefinition.of("billing", Set.of("OrderPlaced", "OrderPaid"), (envelope) -> {})),
                outbox.dataSource(),
                OutboxSchema.DEFAULT);
        suspended.register();
        suspended.loadVersion(new HandlerRegistry.Version("server", 1, 0));
        seen("OrderPaid", "16 min");
        assertThat(expiry.expireSubscriptions()).isTrue();
        expiry.runOnce();

        suspended.loadVersion(new HandlerRegistry.Version("server", 2, 0));
        assertThat(subscriptions()).containsExactly("billing OrderPaid", "billing OrderPlaced");
    }

    @Test
    void expiredSubscriptionDoesNotComeBackWithTheNextRead() throws SQLException {
        HandlerRegistry narrow = new HandlerRegistry(
                () -> List.of(HandlerDefinition.of("billing", Set.of("OrderPlaced"), (envelope) -> {})),
                outbox.dataSource(),
                OutboxSchema.DEFAULT);
        register("billing", PAID);
        outbox.addStream("default");
        narrow.register();
        long before = registryVersion();
        expire("OrderPaid");

        assertThat(registryVersion()).isGreaterThan(before);
        narrow.heartbeat();
        narrow.loadVersion(new HandlerRegistry.Version("another server", 1, 0));
        assertThat(narrow.hasSubscribers(Subscription.of("OrderPaid", "order", "default", false)))
                .isFalse();
    }

    @Test
    void formerIdKeepsWhatTheRenamedHandlerTakes() throws SQLException {
        register("oldName", PLACED, PAID);
        wide.handler(HandlerDefinition.of("audit", Set.of("*"), Recorded.all()::handle))
                .start();
        outbox.publish("1", new OrderPaid(1));
        outbox.publish("2", new OrderPlaced(1));
        await().until(() -> outbox.deliveries() == 2);
        wide.runtime().close();
        registry.register(
                Map.of("newName", Set.of(PLACED)), Map.of("newName", List.of("oldName")), HandlerStore.STANDSTILL);
        outbox.sql()
                .sql(
                        "UPDATE events.outbox_subscription SET last_seen_at = now() - interval '16 min' WHERE handler_id = 'oldName'")
                .update();

        assertThat(expiry.expireSubscriptions()).isTrue();
        expiry.runOnce();
        assertThat(subscriptions()).containsExactly("audit *", "newName OrderPlaced");
        assertThat(outbox.sql()
                        .sql(
                                "SELECT concat_ws(' ', event_type, status, last_error_code) FROM events.outbox_delivery ORDER BY 1")
                        .query(String.class)
                        .list())
                .containsExactly("OrderPaid DEAD NOT_SELECTED", "OrderPlaced OPEN");
    }

    /** The operator decides about what blocks by policy. What no version takes does not block again after a retry. */
    @Test
    void retryOfABlockingDeliveryThatNoVersionTakesUnblocksItsLane() throws SQLException {
        wide.retry(new RetryPolicy(new RetryPolicy.Backoff.Delays(List.of(Duration.ZERO)), 1))
                .handler(HandlerDefinition.of("billing", Set.of("OrderPlaced", "OrderPaid"), (envelope) -> {
                            throw new IllegalStateException("refused");
                        })
                        .onDead(OnDead.BLOCK))
                .start();
        wide.publish("1", new OrderPaid(1));
        await().until(() -> outbox.laneCodes().contains("1 BLOCKING IllegalStateException"));
        wide.runtime().close();
        outbox.handler("billing", "OrderPlaced", handled).start();
        EventEnvelope behind = outbox.publish("1", new OrderPlaced(2));
        assertThat(outbox.event(behind)).becomesRetrying();
        expire("OrderPaid");
        assertThat(outbox.laneCodes()).containsExactly("1 BLOCKING IllegalStateException", "2 OPEN");

        operations().retry(DeliverySelection.all().ofHandler("billing"), "ann", "again");
        expiry.runOnce();
        assertThat(outbox.event(behind)).becomesPublished();
        assertThat(outbox.laneCodes()).containsExactly("1 DEAD NOT_SELECTED");
    }

    @Test
    void operatorEndsASubscriptionAtOnce() throws SQLException {
        register("billing", PLACED, PAID);
        outbox.handler("billing", "OrderPlaced", handled).start();
        outbox.publish("1", new OrderPaid(1));
        EventEnvelope behind = outbox.publish("1", new OrderPlaced(2));
        await().until(() -> outbox.deliveries() == 2);
        assertPresent("OrderPaid");
        seen("OrderPaid", "3 min");

        assertPresent("OrderPlaced");
        assertThat(operations().expireSubscription("billing", "OrderPaid", "ann", "dropped"))
                .isTrue();
        assertThat(outbox.event(behind)).becomesPublished();
        assertThat(outbox.laneCodes()).containsExactly("1 DEAD NOT_SELECTED");
        assertThat(operations().expireSubscription("billing", "OrderPaid", "ann", "dropped"))
                .isFalse();
        assertThat(operations().operations(OperationSelection.all(), 10))
                .extracting(
                        Operation::performedBy,
                        Operation::action,
                        Operation::reason,
                        (one) -> one.subject().handlerId())
                .containsExactly(tuple("ann", "EXPIRE_SUBSCRIPTION", "OrderPaid: dropped", "billing"));
        assertThat(subscriptions()).containsExactly("billing OrderPlaced");
    }

    private void assertPresent(String eventType) {
        assertThatThrownBy(() -> operations().expireSubscription("billing", eventType, "ann", "dropped"))
                .asInstanceOf(throwable(InvalidOperationException.class))
                .returns(Reason.SUBSCRIPTION_PRESENT, InvalidOperationException::reason)
                .hasMessage(
                        "a running instance takes " + eventType + " in handler 'billing', or did less than 2 minutes"
                                + " ago; stop every instance whose version takes it, and repeat the call");
    }

    private void register(String handlerId, Subscription... taken) throws SQLException {
        registry.register(Map.of(handlerId, Set.of(taken)), Map.of(), Duration.ofDays(7));
    }

    private void expire(String eventType) throws SQLException {
        seen(eventType, "16 min");
        assertThat(expiry.expireSubscriptions()).isTrue();
        expiry.runOnce();
    }

    private void seen(String eventType, String ago) {
        outbox.sql()
                .sql("UPDATE events.outbox_subscription SET last_seen_at = now() - CAST(? AS interval)"
                        + " WHERE event_type = ? OR '%' = ?")
                .params(ago, eventType, eventType)
                .update();
    }

    private OutboxOperations operations() {
        return Operator.of(outbox).operations();
    }

    private long registryVersion() {
        return outbox.sql()
                .sql("SELECT coalesce(max(registry_version), 0) FROM events.outbox_stream")
                .query(Long.class)
                .single();
    }

    private List<String> subscriptions() {
        return outbox.sql()
                .sql("SELECT concat_ws(' ', s.handler_id, s.event_type) FROM events.outbox_subscription s"
                        + " WHERE s.last_seen_at > '-infinity' ORDER BY 1")
                .query(String.class)
                .list();
    }
}
