package dev.outbox.spring.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventUpcaster;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.changes.ChangingEvents.Recorded;
import dev.outbox.testing.TestDatabase;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The rules of "Changing events": what one release has stored, as another release reads it. */
@Tag("full")
class ChangingEventsTest {

    private static final BigDecimal TEN = new BigDecimal("10.00");
    private static final ChangingEvents.First.OrderPlaced FIRST = new ChangingEvents.First.OrderPlaced("7", TEN);

    @AutoClose
    private final TestDatabase database = Applications.database();

    @BeforeEach
    void forget() {
        Recorded.EVENTS.clear();
    }

    record Counted(int items) {}

    @Test
    void addedComponentIsNullInOlderEvents() {
        published(FIRST);
        delivers(ChangingEvents.Added.class, new ChangingEvents.Added.OrderPlaced("7", TEN, null));
    }

    @Test
    void olderReleaseIgnoresAnAddedComponent() {
        published(new ChangingEvents.Added.OrderPlaced("7", TEN, "SPRING"));
        delivers(ChangingEvents.First.class, FIRST);
    }

    @Test
    void removedComponentIsIgnoredInOlderEvents() {
        published(FIRST);
        delivers(ChangingEvents.Removed.class, new ChangingEvents.Removed.OrderPlaced("7"));
    }

    @Test
    void olderReleaseReadsNullForARemovedComponent() {
        published(new ChangingEvents.Removed.OrderPlaced("7"));
        application(
                List.of(ChangingEvents.First.class),
                (context) -> await().untilAsserted(() -> assertThat(Recorded.EVENTS)
                        .extracting(String::valueOf)
                        .containsExactly("OrderPlaced[orderId=7, amount=null]")));
    }

    @Test
    void renameInJavaKeepsTheStoredName() {
        published(FIRST, new ChangingEvents.RenamedInJava.OrderPlaced("8", TEN));
        assertThat(payloads()).allSatisfy((payload) -> assertThat(payload).contains("\"amount\": 10.00"));
        delivers(
                ChangingEvents.RenamedInJava.class,
                new ChangingEvents.RenamedInJava.OrderPlaced("7", TEN),
                new ChangingEvents.RenamedInJava.OrderPlaced("8", TEN));
    }

    @Test
    void aliasReadsTheFormerName() {
        published(FIRST, new ChangingEvents.Renamed.OrderPlaced("8", TEN));
        delivers(
                ChangingEvents.Renamed.class,
                new ChangingEvents.Renamed.OrderPlaced("7", TEN),
                new ChangingEvents.Renamed.OrderPlaced("8", TEN));
    }

    @Test
    void olderReleaseDoesNotReadARenamedComponent() {
        published(new ChangingEvents.Renamed.OrderPlaced("7", TEN));
        deadLetters(ChangingEvents.First.class, "PAYLOAD_MISMATCH");
    }

    @Test
    void widerNumberReadsTheNarrowerOne() {
        published(new Counted(3));
        delivers(ChangingEvents.Widened.class, new ChangingEvents.Widened.Counted(3));
    }

    @Test
    void renamedClassKeepsItsEventType() {
        published(FIRST, new ChangingEvents.ClassRenamed.PurchaseCompleted("8", TEN));
        assertThat(sql("SELECT DISTINCT event_type FROM events.outbox")).containsExactly("OrderPlaced");
        delivers(
                ChangingEvents.ClassRenamed.class,
                new ChangingEvents.ClassRenamed.PurchaseCompleted("7", TEN),
                new ChangingEvents.ClassRenamed.PurchaseCompleted("8", TEN));
    }

    @Test
    void splitEventIsReadInBothForms() {
        published(
                FIRST, new ChangingEvents.Split.OrderPlaced("8", null), new ChangingEvents.Split.OrderPriced("8", TEN));
        delivers(
                ChangingEvents.Split.class,
                new ChangingEvents.Split.OrderPlaced("7", TEN),
                new ChangingEvents.Split.OrderPlaced("8", null),
                new ChangingEvents.Split.OrderPriced("8", TEN));
    }

    @Test
    void upcasterConvertsOlderVersions() {
        published(FIRST, upcast("8"));
        delivers(ChangingEvents.Versioned.class, upcast("7"), upcast("8"));
        assertThat(sql("SELECT schema_version::text FROM events.outbox ORDER BY id"))
                .containsExactly("1", "2");
    }

    @Test
    void treesAreConvertedToo() {
        published(FIRST);
        application(List.of(ChangingEvents.Trees.class, ChangingEvents.Versioned.class), (context) -> {
            await().untilAsserted(() -> assertThat(Recorded.EVENTS).hasSize(2));
            assertThat(Recorded.EVENTS)
                    .anySatisfy((event) -> assertThat(event.toString()).contains("\"currency\":\"EUR\""));
        });
    }

    @Test
    void olderReleaseDeadLettersANewerVersionUntilItIsDeployed() {
        published(upcast("7"));
        deadLetters(ChangingEvents.First.class, "NEWER_VERSION");

        application(List.of(ChangingEvents.Versioned.class), (context) -> {
            context.getBean(OutboxOperations.class)
                    .retry(DeliverySelection.all().withErrorCode("NEWER_VERSION"), "test", "version 2 is deployed");
            await().untilAsserted(() -> assertThat(Recorded.EVENTS).containsExactly(upcast("7")));
        });
    }

    @Test
    void releaseBetweenReadsBothVersionsAndPublishesTheFormer() {
        application(List.of(ChangingEvents.Versioned.class), (context) -> {
            publish(context, new ChangingEvents.ReadsNextVersion.FormerOrderPlaced("7", TEN));
            await().untilAsserted(() -> assertThat(Recorded.EVENTS).containsExactly(upcast("7")));
        });
        assertThat(sql("SELECT DISTINCT event_type || schema_version FROM events.outbox"))
                .containsExactly("OrderPlaced1");
    }

    @Test
    void replayConvertsOlderVersions() {
        published(FIRST);
        delivers(ChangingEvents.First.class, FIRST);
        application(List.of(ChangingEvents.Versioned.class), (context) -> {
            context.getBean(Replays.class).start(ReplayRequest.of("invoices"), "test", "invoices of version 2");
            await().untilAsserted(() -> assertThat(Recorded.EVENTS).containsExactly(FIRST, upcast("7")));
        });
    }

    @Test
    void mapperOfTheApplicationReplacesTheFormat() {
        application(List.of(ChangingEvents.OwnFormat.class, ChangingEvents.First.class), (context) -> {
            publish(context, FIRST);
            await().untilAsserted(() -> assertThat(Recorded.EVENTS).containsExactly(FIRST));
        });
    }

    @Test
    void chainThatDoesNotReachTheClassFailsTheStart() {
        Applications.on(database)
                .withUserConfiguration(ChangingEvents.Versioned.class)
                .withBean(EventUpcaster.class, () -> EventUpcaster.of("OrderPlaced", 2, 3, (json) -> json))
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessage("the upcasters of event type OrderPlaced lead to version 3, but handler"
                                + " 'invoices' takes version 2, "
                                + ChangingEvents.Versioned.OrderPlaced.class.getName()
                                + "; set @EventType(version = 3) on the class, or remove the last EventUpcaster"));
    }

    private static ChangingEvents.Versioned.OrderPlaced upcast(String orderId) {
        return new ChangingEvents.Versioned.OrderPlaced(orderId, new ChangingEvents.Versioned.Money(TEN, "EUR"));
    }

    /** Publishes with applications that have no handlers, one for each event: an application has one class of an event type. */
    private void published(Object... events) {
        for (Object event : events) {
            Applications.on(database)
                    .withPropertyValues("outbox.poller.enabled=false")
                    .run((context) -> publish(context, event));
        }
    }

    private void delivers(Class<?> handlers, Object... expected) {
        application(
                List.of(handlers),
                (context) ->
                        await().untilAsserted(() -> assertThat(Recorded.EVENTS).containsExactly(expected)));
    }

    private void deadLetters(Class<?> handlers, String errorCode) {
        application(List.of(handlers), (context) -> {
            OutboxOperations operations = context.getBean(OutboxOperations.class);
            await().untilAsserted(() -> assertThat(operations
                            .count(DeliverySelection.all()
                                    .withStatus(DeliveryStatus.DEAD)
                                    .withErrorCode(errorCode))
                            .value())
                    .isEqualTo(1));
        });
        assertThat(Recorded.EVENTS).isEmpty();
    }

    private void application(List<Class<?>> beans, ContextConsumer<AssertableApplicationContext> steps) {
        Applications.on(database)
                .withUserConfiguration(beans.toArray(Class<?>[]::new))
                .run((context) -> {
                    assertThat(context).hasNotFailed();
                    steps.accept(context);
                });
    }

    private static void publish(AssertableApplicationContext context, Object event) {
        assertThat(context).hasNotFailed();
        Applications.inTransaction(context, (outbox) -> outbox.publish("order", "7", event));
    }

    private List<String> payloads() {
        return sql("SELECT payload::text FROM events.outbox");
    }

    private List<String> sql(String query) {
        return JdbcClient.create(database.dataSource())
                .sql(query)
                .query(String.class)
                .list();
    }
}
