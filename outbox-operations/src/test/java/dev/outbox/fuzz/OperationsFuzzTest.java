package dev.outbox.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxException;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.registry.LocalHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Texts and times of operators are values, never SQL, and are refused with a typed error where PostgreSQL could not store them. */
class OperationsFuzzTest {

    private static final Set<Class<? extends RuntimeException>> REFUSALS =
            Set.of(InvalidOperationException.class, OutboxConfigurationException.class, IllegalArgumentException.class);

    private static final TestOutbox OUTBOX = TestOutbox.create().handler("mail", "OrderPlaced", (envelope) -> {
        throw new NonRetryableException("refused");
    });

    private final Map<String, Integer> outcomes = new TreeMap<>();

    @BeforeAll
    static void start() {
        OUTBOX.start();
        for (int i = 0; i < 3; i++) {
            OUTBOX.publish("o" + i, new OrderPlaced(i));
        }
        await().until(() -> OUTBOX.deadDeliveries() == 3);
    }

    @AfterAll
    static void close() {
        OUTBOX.close();
    }

    @Test
    void takesHostileTextsAsValues() {
        check(Cases.few("operations", 15));
    }

    @Test
    @Tag("chaos")
    void takesHostileTextsAsValuesInAllCases() {
        check(Cases.all("operations", 15));
    }

    private void check(Cases cases) {
        cases.inBatches(50, this::operate);
        System.out.println("operations: " + outcomes);
        assertThat(outcomes.keySet())
                .contains("done", Reason.UNKNOWN_HANDLER.name())
                .containsAll(REFUSALS.stream().map(Class::getSimpleName).toList());
        assertThat(OUTBOX.deadDeliveries()).isEqualTo(3);
        assertThat(OUTBOX.events()).isEqualTo(3);
    }

    private void operate(Random random, int count) {
        Hostile values = new Hostile(random);
        for (int i = 0; i < count; i++) {
            values.onlyStorable(!values.oneIn(5));
            try {
                operate(values, Operator.of(OUTBOX).operations());
                outcomes.merge("done", 1, Integer::sum);
            } catch (OutboxException | IllegalArgumentException ex) {
                assertThat(REFUSALS).contains(ex.getClass());
                outcomes.merge(kind(ex), 1, Integer::sum);
            }
        }
    }

    private static String kind(RuntimeException refusal) {
        return refusal instanceof InvalidOperationException invalid && invalid.reason() == Reason.UNKNOWN_HANDLER
                ? invalid.reason().name()
                : refusal.getClass().getSimpleName();
    }

    private void operate(Hostile values, OutboxOperations operations) {
        String by = values.name();
        String reason = values.oneIn(20) ? values.text().repeat(20) : "reason " + values.text();
        String handler = values.name();
        switch (values.random().nextInt(10)) {
            case 0 -> operations.find(selection(values), values.random().nextInt(5));
            case 1 -> operations.count(selection(values));
            case 2 -> operations.retry(selection(values).ofHandler(handler), by, reason);
            case 3 -> operations.skip(selection(values).ofHandler(handler), by, reason);
            case 4 -> pause(operations, values.oneIn(2) ? "mail" : handler, by, reason);
            case 5 -> operations.pauseStream(values.oneIn(2) ? "default" : values.text(), by, reason);
            case 6 ->
                operations.operations(performed(values), 1 + values.random().nextInt(5));
            case 7 -> replay(values, by, reason);
            case 8 ->
                new LocalHandlers(List.of(HandlerDefinition.of(values.text(), Set.of(values.name()), (envelope) -> {})
                        .aliases(values.name())));
            default ->
                new OutboxSchema(
                        values.oneIn(2)
                                ? values.text()
                                : "schema_" + values.random().nextInt());
        }
    }

    private static void pause(OutboxOperations operations, String handler, String by, String reason) {
        boolean changed = operations.pauseHandler(handler, by, reason);
        Operation latest =
                operations.operations(OperationSelection.ofHandler(handler), 1).get(0);
        if (changed) {
            assertThat(latest.reason()).isEqualTo(reason);
            assertThat(latest.performedBy()).isEqualTo(by);
        }
        operations.resumeHandler(handler, by, reason);
    }

    private static void replay(Hostile values, String by, String reason) {
        ReplayRequest request = ReplayRequest.of(values.oneIn(3) ? values.text() : "mail");
        if (values.oneIn(2)) {
            request = request.aggregate(values.text(), values.oneIn(2) ? null : values.text());
        }
        if (values.oneIn(2)) {
            request = request.occurred(values.instant(), values.instant());
        }
        if (values.oneIn(4)) {
            request = request.eventTypes(values.name());
        }
        long id = Operator.of(OUTBOX).replays().start(request.rate(1), by, reason);
        assertThat(Operator.of(OUTBOX).replays().list()).isNotEmpty();
        Operator.of(OUTBOX).replays().cancel(id, by);
    }

    private static OperationSelection performed(Hostile values) {
        return switch (values.random().nextInt(3)) {
            case 0 -> OperationSelection.ofHandler(values.text());
            case 1 ->
                new OperationSelection(
                        null, null, values.text(), null, null, values.random().nextLong(), null);
            default ->
                new OperationSelection(
                        null, null, null, values.instant(), values.oneIn(2) ? null : values.instant(), null, null);
        };
    }

    /** Restricts to deliveries that do not exist, whatever the texts say. */
    private static DeliverySelection selection(Hostile values) {
        DeliverySelection none = DeliverySelection.all().ofEvent(new UUID(0, 0));
        Instant since = values.oneIn(2) ? null : values.instant();
        return switch (values.random().nextInt(8)) {
            case 0 -> none.ofAggregate(values.text(), null);
            case 1 -> none.ofAggregate(values.text(), values.text());
            case 2 -> none.inStream(values.text());
            case 3 -> none.ofEventType(values.text());
            case 4 -> none.withErrorCode(values.text());
            case 5 -> none.created(since, values.instant());
            case 6 -> none.after(values.random().nextLong(), values.text());
            default -> none.withStatus(DeliveryStatus.DEAD).ofHandler(values.text());
        };
    }
}
