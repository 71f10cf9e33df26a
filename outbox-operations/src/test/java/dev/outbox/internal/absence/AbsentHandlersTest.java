package dev.outbox.internal.absence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.operations.Count;
import dev.outbox.operations.OutboxOperations.Untaken;
import dev.outbox.operations.OutboxOperations.Untaken.Problem;
import dev.outbox.operations.fixture.Operator;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** Reports of handlers that deliveries wait for in vain. */
class AbsentHandlersTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final TestOutbox gone = outbox.another();
    private final Lanes lanes = new Lanes(outbox);
    private final Logger logger = (Logger) LoggerFactory.getLogger(HandlerExpiry.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        logger.detachAppender(lines);
    }

    @Test
    void renamedHandlerIsReportedAtOnceWithTheAliasToPaste() {
        leaveDeliveriesOf("mail.send", 2);

        outbox.handler("mails.send", "OrderPlaced", Recorded.all()).start();

        assertThat(absent()).singleElement().asString().contains("""
                        No running instance has handler 'mail.send' (last heartbeat 20""");
        assertThat(absent()).singleElement().asString().contains("deliveries of OrderPlaced wait for it: 2. If");
        assertThat(absent()).singleElement().asString().contains("""
                        If it was renamed, add its former id to the new handler: @OutboxHandler(id = "mails.send", aliases = "mail.send"). \
                        If it was removed, expire it: OutboxOperations.expireHandler("mail.send", actor, reason). \
                        Otherwise its deliveries become dead letters from 20""");
    }

    @Test
    void severalPossibleSuccessorsLeaveTheIdOpen() {
        leaveDeliveriesOf("mail.send", 1);

        outbox.handler("mails.send", "OrderPlaced", Recorded.all())
                .handler("audit", "*", Recorded.all())
                .handler("stock", "OrderPlaced", Recorded.all())
                .start();

        assertThat(absent()).singleElement().asString().contains("@OutboxHandler(id = \"its new id\"");
    }

    @Test
    void aliasOrRunningInstanceKeepsTheStartQuiet() {
        leaveDeliveriesOf("mail.send", 1);
        gone.handler("mail.send", "OrderPlaced", Recorded.all()).start();
        outbox.handler("audit", "*", Recorded.all()).start();
        assertThat(absent()).isEmpty();

        try (TestOutbox renamed = outbox.another()) {
            gone.close();
            outbox.runtime().close();
            renamed.handler(HandlerDefinition.of("mails.send", Set.of("*"), Recorded.all()::handle)
                            .aliases("mail.send"))
                    .start();
            assertThat(absent()).isEmpty();
        }
    }

    @Test
    void instanceThatCrashedCountsForOneMinute() {
        leaveDeliveriesOf("mail.send", 1);
        outbox.sql()
                .sql(
                        "INSERT INTO events.outbox_instance (name, streams, open_circuits, handlers, subscriptions,"
                                + " last_seen_at) VALUES ('crashed', '{default}', '{}', '{mail.send}',"
                                + " ARRAY[concat_ws(chr(31), 'mail.send', 'OrderPlaced', '*', '*', '*')], now() - interval '50 s')")
                .update();
        outbox.handler("mails.send", "OrderPlaced", Recorded.all()).start();
        assertThat(absent()).isEmpty();

        outbox.runtime().close();
        outbox.sql()
                .sql("UPDATE events.outbox_instance SET last_seen_at = now() - interval '70 s'")
                .update();
        outbox.runtime().start();
        assertThat(absent()).hasSize(1);
    }

    /** The first that starts finds deliveries of handlers whose instances are still starting. */
    @Test
    void restartOfAllInstancesReportsNoHandler() {
        gone.handler("mail", "OrderPlaced", Recorded.all()).start();
        outbox.handler("stock", "OrderPlaced", Recorded.all())
                .handler("audit", "*", Recorded.all())
                .start();
        gone.runtime().close();
        outbox.publish("1", new OrderPlaced(1));
        await().until(() -> outbox.deliveries() == 1);
        registeredBefore("1 h");
        outbox.runtime().close();
        lines.list.clear();

        outbox.runtime().start();
        assertThat(absent()).isEmpty();

        outbox.runtime().close();
        unseen("mail", "11 min");
        outbox.runtime().start();
        assertThat(absent()).singleElement().asString().startsWith("No running instance has handler 'mail'");
    }

    @Test
    void eventTypeThatTheHandlerDroppedIsReported() {
        gone.handler(HandlerDefinition.of("billing", Set.of("OrderPlaced", "OrderPaid"), Recorded.all()::handle))
                .start();
        gone.close();
        outbox.handler("billing", "OrderPlaced", Recorded.all()).start();
        outbox.publish("1", new OrderPaid(1));
        outbox.publish("1", new OrderPlaced(2));
        outbox.publish("1", new OrderPaid(3));
        outbox.publish("1", new OrderPlaced(4));
        outbox.publish("2", new OrderPaid(1));
        await().until(() -> outbox.deliveries() == 5);
        outbox.runtime().close();
        outbox.sql()
                .sql("UPDATE events.outbox_subscription SET last_seen_at = now() - interval '11 min'"
                        + " WHERE event_type = 'OrderPaid'")
                .update();
        outbox.runtime().close();
        outbox.runtime().start();

        assertThat(absent()).isEmpty();
        assertThat(warnings("No running instance handles ")).singleElement().satisfies((line) -> {
            assertThat(line)
                    .startsWith(
                            "No running instance handles OrderPaid in handler 'billing' any more, and deliveries wait for it: 3."
                                    + " Later deliveries that the handler takes wait behind them: 2. If the class was renamed, put"
                                    + " @EventType(\"OrderPaid\") on the new one. If they are still to be handled, subscribe the handler again; else they become dead letters at 20")
                    .endsWith(", and the later ones continue. To end this at once:"
                            + " OutboxOperations.expireSubscription(\"billing\", \"OrderPaid\", actor, reason)");
        });
        assertThat(Operator.of(outbox).operations().untaken()).singleElement().satisfies((one) -> {
            assertThat(one)
                    .usingRecursiveComparison()
                    .ignoringFields("lastSeenAt")
                    .isEqualTo(new Untaken(
                            "billing",
                            Problem.NOT_SELECTED,
                            "OrderPaid",
                            "default",
                            new Count(3, true),
                            new Count(2, true),
                            null,
                            Set.of("OrderPaid")));
            assertThat(one.lastSeenAt()).isBefore(Instant.now().minusSeconds(600));
        });
    }

    @Test
    void renamedRecordIsReportedAtOnceWithTheEventTypeToPaste() {
        failingVersion().start();
        outbox.publish("1", new OrderPlaced(1));
        outbox.publish("2", new OrderPlaced(1));
        await().until(() -> outbox.deliveries() == 2);
        gone.close();

        renamedVersion().start();

        assertThat(warnings("")).singleElement().asString().startsWith("""
                        No running instance handles OrderPlaced in handler 'mail' any more, and deliveries wait for it: 2. \
                        Later deliveries that the handler takes wait behind them: 0. \
                        If the class was renamed, put @EventType("OrderPlaced") on OrderPaid. If they""");
    }

    @Test
    void renamedRecordOfQueuedEventsIsReportedWhenTheseAreClaimed() {
        failingVersion().start();
        gone.close();
        outbox.publish("1", new OrderPlaced(1));

        renamedVersion().start();

        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(warnings("No running instance handles OrderPlaced"))
                        .singleElement()
                        .asString()
                        .contains("put @EventType(\"OrderPlaced\") on OrderPaid."));
    }

    /** During a deployment, an instance of the older version can still take the events. */
    @Test
    void olderVersionThatRunsKeepsTheRenamedRecordQuiet() {
        failingVersion().start();
        outbox.publish("1", new OrderPlaced(1));
        await().until(() -> outbox.deliveries() == 1);
        renamedVersion().start();
        assertThat(warnings("")).isEmpty();

        gone.close();
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(warnings("No running instance handles OrderPlaced"))
                        .hasSize(1));
    }

    @Test
    void severalNewTypesLeaveTheRenamedClassOpen() {
        failingVersion().start();
        outbox.publish("1", new OrderPlaced(1));
        await().until(() -> outbox.deliveries() == 1);
        gone.close();

        outbox.handler(HandlerDefinition.of("mail", Set.of("OrderPaid", "OrderShipped"), Recorded.all()::handle))
                .start();

        assertThat(warnings("")).singleElement().asString().contains("put @EventType(\"OrderPlaced\") on the new one.");
    }

    private TestOutbox failingVersion() {
        return gone.handler(HandlerDefinition.of("mail", OrderPlaced.class, (event, envelope) -> {
            throw new IllegalStateException("no mail server");
        }));
    }

    private TestOutbox renamedVersion() {
        return outbox.handler(HandlerDefinition.of("mail", OrderPaid.class, (event, envelope) -> {}));
    }

    /** Each stream is polled, and an instance has the handler: nothing else would say that its events wait. */
    @Test
    void streamThatNoInstanceWithTheHandlerPollsIsReported() {
        outbox.handler("stock", "OrderPlaced", Recorded.all())
                .polling("default")
                .start();
        gone.stream("bulk", PollerSettings.defaults())
                .handler("audit", "OrderPaid", Recorded.all())
                .start();
        gone.publish(OutboxEvent.of("order", "1", new OrderPlaced(1)).inStream("bulk"));
        await().until(() -> outbox.deliveries() == 1);
        outbox.runtime().close();
        outbox.runtime().start();
        assertThat(warnings("")).isEmpty();

        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET open_since = now() - interval '3 min'")
                .update();
        outbox.runtime().close();
        outbox.runtime().start();

        assertThat(warnings(""))
                .containsOnly(
                        "Deliveries of OrderPlaced in stream 'bulk' wait for handler 'stock': 1. No running instance that has the handler"
                                + " polls the stream. Add the stream to outbox.poller.streams of the application that has the handler, or"
                                + " route these events to a stream that it polls");
    }

    @Test
    void handlerThatNothingWaitsForIsNotReported() {
        gone.handler("old", "OrderPlaced", Recorded.all()).start();
        gone.close();
        outbox.handler("audit", "*", Recorded.all()).start();
        outbox.runtime().close();
        unseen("old", "2 h");
        outbox.runtime().start();

        assertThat(absent()).isEmpty();
    }

    private void registeredBefore(String time) {
        outbox.sql()
                .sql("UPDATE events.outbox_handler SET registered_at = now() - CAST(? AS interval)")
                .param(time)
                .update();
    }

    private void unseen(String handlerId, String time) {
        outbox.sql()
                .sql(
                        "UPDATE events.outbox_subscription SET last_seen_at = now() - CAST(? AS interval) WHERE handler_id = ?")
                .params(time, handlerId)
                .update();
    }

    private void leaveDeliveriesOf(String handlerId, int number) {
        lanes.registered(handlerId, "{}", "OrderPlaced");
        outbox.publishOrders("1", number).forEach((event) -> lanes.waiting(handlerId, event));
    }

    private List<String> absent() {
        return warnings("No running instance has handler ");
    }

    private List<String> warnings(String beginning) {
        return lines.list.stream()
                .filter((line) -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .filter((line) -> line.startsWith(beginning))
                .toList();
    }
}
