package dev.outbox.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.throwable;

import dev.outbox.EventTypeName;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.OutboxOperations.InboxStart;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.operations.internal.inspect.JdbcInspector;
import dev.outbox.operations.internal.operate.JdbcOperations;
import dev.outbox.operations.internal.operate.JdbcSchedule;
import dev.outbox.operations.internal.replay.JdbcReplays;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Requests of operators that make no sense. All but those with an unknown name are refused before any SQL runs. */
class RefusedRequestsTest {

    /** Fails whatever asks for a connection. */
    private static final DataSource NO_DATABASE = new DelegatingDataSource();

    private static final JdbcOperations OPERATIONS = new JdbcOperations(
            NO_DATABASE, OutboxSchema.DEFAULT, OutboxSchema.DEFAULT_ARCHIVE, OutboxListener.NONE, (wake) -> {});
    private static final Replays REPLAYS = new JdbcReplays(
            NO_DATABASE,
            OutboxSchema.DEFAULT,
            new HandlerRegistry(List::of, NO_DATABASE, OutboxSchema.DEFAULT),
            OPERATIONS,
            () -> {});
    private static final OutboxInspector INSPECTOR = new JdbcInspector(NO_DATABASE, OutboxSchema.DEFAULT);
    private static final ScheduledEvents SCHEDULED = new JdbcSchedule(NO_DATABASE, OutboxSchema.DEFAULT, () -> {});

    private static final UUID EVENT = new UUID(1, 1);
    private static final DeliverySelection ALL = DeliverySelection.all();
    private static final DeliverySelection MAIL = ALL.ofHandler("mail");
    private static final ReplayRequest REPLAY = ReplayRequest.of("mail");
    private static final OperationSelection RECORD = OperationSelection.all();

    /** A missing value of a selection is no wildcard: a command would change every delivery, or replay every event. */
    static Stream<Arguments> selections() {
        return Stream.of(
                refused("event id must not be missing", () -> DeliverySelection.delivery(null, "mail")),
                refused("event ids must not be missing", () -> MAIL.ofEvents(List.of())),
                refused("handler id must not be missing", () -> DeliverySelection.delivery(EVENT, null)),
                refused("aggregate id must not be missing", () -> DeliverySelection.lane("mail", "Order", null)),
                refused("aggregate type must not be missing", () -> DeliverySelection.lane("mail", null, "1")),
                refused("handler id must not be missing", () -> ALL.ofHandler("")),
                refused("handler id must have at most 255", () -> ALL.ofHandler("x".repeat(256))),
                refused("stream must not be missing", () -> MAIL.inStream(null)),
                refused("stream must not be missing", () -> ALL.inStream(" ")),
                refused("event type must not be missing", () -> MAIL.ofEventType(null)),
                refused("event type contains U+0000", () -> ALL.ofEventType("\0")),
                refused("aggregate type must not be missing", () -> ALL.ofAggregate("", null)),
                refused("half of a surrogate pair", () -> ALL.ofAggregate("order", "\uD800")),
                refused("error code must not be missing", () -> MAIL.withErrorCode(null)),
                refused("error code must not be missing", () -> ALL.withErrorCode("")),
                refused("allows no status", () -> ALL.withStatus()),
                refused("handler id of a place must not be missing", () -> ALL.after(1, "")),
                refused("in the years 1 to 9999", () -> ALL.created(Instant.MIN, null)),
                refused("in the years 1 to 9999", () -> ALL.created(null, Instant.MAX)),
                refused("is empty", () -> ALL.created(Instant.EPOCH, Instant.EPOCH)),
                refused("handler id must not be missing", () -> ReplayRequest.of(" ")),
                refused("event id must not be missing", () -> REPLAY.event(null)),
                refused("aggregate type must not be missing", () -> REPLAY.aggregate(null, null)),
                refused("aggregate id must not be missing", () -> REPLAY.aggregate("order", " ")),
                refused(
                        "an aggregate id needs its aggregate type",
                        () -> new ReplayRequest("mail", null, null, Set.of(), null, "1", null, 1)),
                refused("rate must be at least 1", () -> REPLAY.rate(0)),
                refused("is empty", () -> REPLAY.occurred(Instant.EPOCH, Instant.EPOCH)),
                refused("in the years 1 to 9999", () -> REPLAY.occurred(Instant.MIN, null)),
                refused("'' is invalid: an event type must " + EventTypeName.RULE, () -> REPLAY.eventTypes("")),
                refused("'*' is invalid", () -> REPLAY.eventTypes("*")),
                refused("'order placed' is invalid", () -> REPLAY.eventTypes("order placed")),
                refused("'order*' is invalid", () -> REPLAY.eventTypes("order*")),
                refused(
                        "the name of the operator must not be missing",
                        () -> new OperationSelection(null, null, "", null, null, null, null)),
                refused("handler id must not be missing", () -> OperationSelection.ofHandler(" ")),
                refused(
                        "is empty",
                        () -> new OperationSelection(null, null, null, Instant.EPOCH, Instant.EPOCH, null, null)),
                refused("trace id must not be missing", () -> new EventSelection(null, null, null, "", null, null)),
                refused(
                        "must be PENDING, RETRYING, DEAD or PUBLISHED",
                        () -> new EventSelection(null, null, null, null, EventDetails.Status.PROCESSING, null)));
    }

    static Stream<Arguments> searches() {
        return Stream.of(
                refused("limit must be at least 1", () -> OPERATIONS.find(ALL, 0)),
                refused("limit must be at least 1", () -> OPERATIONS.operations(RECORD, 0)),
                refused("limit must be at least 1", () -> OPERATIONS.commands(RECORD, 0)),
                refused("limit must be at least 1", () -> INSPECTOR.findEvents(EventSelection.all(), 0)),
                refused("limit must be at least 1", () -> SCHEDULED.find(null, null, 0)),
                refused("aggregate type must not be missing", () -> INSPECTOR.lanes(" ", "1")),
                refused("aggregate id must not be missing", () -> INSPECTOR.lanes("order", "")),
                refused("aggregate id must not be missing", () -> INSPECTOR.aggregateTypes(" ")));
    }

    static Stream<Arguments> commands() {
        return Stream.of(
                refused("has no filter", () -> OPERATIONS.retry(ALL, "ann", "why")),
                refused("has no filter", () -> OPERATIONS.skip(ALL.after(1, "mail"), "ann", "why")),
                refused("the operator must not be missing", () -> OPERATIONS.retry(MAIL, "", "why")),
                refused("the operator must not be missing", () -> OPERATIONS.skip(MAIL, null, "why")),
                refused("the operator must have at most 255", () -> OPERATIONS.skip(MAIL, "x".repeat(256), "why")),
                refused("must not contain control characters", () -> OPERATIONS.retry(MAIL, "a\nb", "why")),
                refused("the operator contains U+0000", () -> OPERATIONS.skip(MAIL, "a\0b", "why")),
                refused("the reason must not be missing", () -> OPERATIONS.retry(MAIL, "ann", null)),
                refused("the reason must not be missing", () -> OPERATIONS.skip(MAIL, "ann", "")),
                refused("the reason must have at most 2000", () -> OPERATIONS.retry(MAIL, "ann", "x".repeat(2001))),
                refused("handler id", () -> OPERATIONS.pauseHandler("", "ann", "down")),
                refused("the reason", () -> OPERATIONS.pauseNewHandler("mail", "ann", "")),
                refused("the operator", () -> OPERATIONS.resumeHandler("mail", "", "up")),
                refused("stream", () -> OPERATIONS.pauseStream(" ", "ann", "down")),
                refused("the reason", () -> OPERATIONS.resumeStream("slow", "ann", " ")),
                refused("the reason", () -> OPERATIONS.resumeInbox("shop", InboxStart.EARLIEST, "ann", "")),
                refused("handler id", () -> OPERATIONS.expireHandler(" ", "ann", "removed")),
                refused("the operator", () -> OPERATIONS.expireHandler("old", "", "removed")),
                refused("the reason", () -> OPERATIONS.expireHandler("old", "ann", "")),
                refused("event type", () -> OPERATIONS.expireSubscription("mail", " ", "ann", "dropped")),
                refused("the reason", () -> OPERATIONS.erase(Erasure.ofEvents(List.of(EVENT)), "ann", "")),
                refused("the operator", () -> SCHEDULED.deliverNow(EVENT, "", "why")),
                refused("the reason", () -> SCHEDULED.cancel(EVENT, "ann", "")),
                refused("the operator", () -> REPLAYS.start(REPLAY, " ", "why")),
                refused("the reason", () -> REPLAYS.start(REPLAY, "ann", "")),
                refused("the operator", () -> REPLAYS.cancel(1, "")),
                refused(
                        "needs a selection with a handler",
                        () -> REPLAYS.retry(ALL.inStream("default"), 10, "ann", "why")),
                refused("rate must be at least 1", () -> REPLAYS.skip(MAIL, 0, "ann", "why")),
                refused("the operator", () -> REPLAYS.skip(MAIL, 1, " ", "why")),
                refused("the reason", () -> REPLAYS.skip(MAIL, 1, "ann", "")));
    }

    private static Arguments refused(String message, ThrowingCallable request) {
        return Arguments.of(message, request);
    }

    @ParameterizedTest(name = "{index}: {0}")
    @MethodSource({"selections", "searches", "commands"})
    void requestIsRefusedBeforeAnySql(String message, ThrowingCallable request) {
        assertRefused(message, request);
    }

    @Test
    void unknownNameIsRefused() {
        try (TestOutbox outbox = TestOutbox.create().handler("mail", "OrderPlaced", Recorded.all())) {
            outbox.start();
            OutboxOperations operations = Operator.of(outbox).operations();
            Replays replays = Operator.of(outbox).replays();

            for (ThrowingCallable request : List.<ThrowingCallable>of(
                    () -> operations.pauseHandler("mial", "ann", "down"),
                    () -> operations.resumeHandler("mial", "ann", "up"),
                    () -> operations.resumeInbox("mial", InboxStart.EARLIEST, "ann", "up"),
                    () -> operations.expireHandler("mial", "ann", "removed"),
                    () -> operations.expireSubscription("mial", "OrderPlaced", "ann", "dropped"),
                    () -> replays.start(ReplayRequest.of("mial"), "ann", "why"))) {
                assertThatThrownBy(request)
                        .asInstanceOf(throwable(InvalidOperationException.class))
                        .returns(Reason.UNKNOWN_HANDLER, InvalidOperationException::reason)
                        .hasMessageContaining("'mial'");
            }
            assertRefused("'fast'", () -> operations.pauseStream("fast", "ann", "down"));
            assertRefused("'fast'", () -> operations.resumeStream("fast", "ann", "up"));
            assertRefused(
                    "'mail' does not subscribe to events of type OrderPaid",
                    () -> replays.start(REPLAY.eventTypes("OrderPaid"), "ann", "why"));
            assertRefused("does not exist, or is archived", () -> replays.start(REPLAY.event(EVENT), "ann", "why"));
            assertThat(replays.cancel(1, "ann")).isFalse();
            assertThat(outbox.operations()).isZero();
            assertThat(replays.list()).isEmpty();
        }
    }

    private static void assertRefused(String message, ThrowingCallable request) {
        assertThatThrownBy(request)
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining(message);
    }
}
