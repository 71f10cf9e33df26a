package dev.outbox.console.internal.page;

import dev.outbox.operations.Count;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.EventPage;
import dev.outbox.operations.FailureGroup;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.OutboxOverview.Call;
import dev.outbox.operations.Replay;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.spring.internal.Rights;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** State of an outbox whose texts try to break out of the page. */
final class PageFixture {

    static final UUID EVENT = UUID.fromString("6d1f0c4e-8d53-4f0e-9d58-5c6c7a1f0001");
    static final String EVIL = "<script>alert('x')</script>\"'&";

    static final Rights RIGHTS = new Rights("ROLE_OUTBOX_VIEWER", "ROLE_OUTBOX_OPERATOR", "ROLE_OUTBOX_ERASER");

    private static final Instant NOW = Instant.now();

    private PageFixture() {}

    static Delivery delivery(long id, DeliveryStatus status) {
        return new Delivery(
                new Delivery.Event(id, EVENT, "default", "OrderPlaced", "Order", EVIL, 7, NOW.minusSeconds(90)),
                "mail",
                new Delivery.State(status, false, false, NOW.minusSeconds(80), NOW.plusSeconds(40)),
                new Delivery.Attempts(
                        3, 3, 0, NOW.minusSeconds(20), new Delivery.Failure("IOException", EVIL), List.of(attempt())),
                new Delivery.Lease("shop-1", NOW.plusSeconds(30)));
    }

    static Delivery.FailedAttempt attempt() {
        return new Delivery.FailedAttempt(
                1, NOW.minusSeconds(70), "IOException", EVIL, "shop-1", Duration.ofMillis(120), EVIL);
    }

    static FailureGroup group() {
        return group("IOException", 3);
    }

    static FailureGroup group(String errorCode, long dead) {
        return new FailureGroup(
                "mail",
                errorCode,
                Count.upTo(dead, Count.MOST),
                new Count(2, true),
                new Count(5, true),
                new FailureGroup.First(EVENT, "OrderPlaced", "Order", EVIL, attempt()));
    }

    static OutboxOverview overview() {
        return overview(3);
    }

    static OutboxOverview overview(long dead) {
        OutboxOverview.Claim claim = new OutboxOverview.Claim("shop-1", 10, NOW, NOW.plusSeconds(60));
        return new OutboxOverview(
                NOW,
                List.of(new OutboxOverview.Stream(
                        EVIL,
                        true,
                        NOW.plusSeconds(600),
                        new OutboxOverview.Backlog(
                                Count.upTo(10_000, Count.MOST),
                                new Count(10, true),
                                new Count(2, true),
                                Count.upTo(dead, Count.MOST),
                                new Count(1, true),
                                Duration.ofSeconds(61),
                                Duration.ZERO,
                                Count.NONE,
                                Duration.ZERO),
                        12.34,
                        List.of(claim))),
                List.of(new OutboxOverview.Handler(
                        "mail",
                        Set.of("OrderPlaced"),
                        false,
                        null,
                        NOW,
                        new OutboxOverview.Deliveries(
                                new Count(6, true), Count.upTo(dead, Count.MOST), Duration.ofHours(2)),
                        Set.of("shop-1"),
                        List.of(new OutboxOverview.RunTime("default", 15, Duration.ofSeconds(60))))),
                List.of(new OutboxOverview.Instance(
                        "shop-1",
                        "shop",
                        NOW.minusSeconds(500),
                        NOW.minusSeconds(40),
                        Set.of("default"),
                        Set.of("mail"),
                        Set.of(),
                        List.of(call("mail", Duration.ofSeconds(4), Call.State.RUNNING)))),
                List.of(new OutboxOverview.Table("events.outbox_published", 1_234_567, 1_610_612_736, -4_321)));
    }

    static Call call(String handlerId, Duration running, Call.State state) {
        return new Call(handlerId, "default", EVENT, "OrderPlaced", "Order", EVIL, running, state);
    }

    static EventDetails details() {
        return details("RETRY");
    }

    static EventDetails details(String action) {
        return new EventDetails(
                delivery(1, DeliveryStatus.DEAD).event(),
                1,
                new EventDetails.Progress(
                        EventDetails.Status.DEAD,
                        NOW.minusSeconds(60),
                        null,
                        action.equals("ERASE") ? NOW : null,
                        new OutboxOverview.Claim("shop-1", 1, NOW.minusSeconds(75), NOW)),
                List.of(
                        new EventDetails.HandlerProgress(
                                "mail",
                                EventDetails.Outcome.DEAD,
                                delivery(1, DeliveryStatus.DEAD),
                                List.of(attempt())),
                        new EventDetails.HandlerProgress("audit", EventDetails.Outcome.DONE, null, List.of(attempt()))),
                List.of(operation(5, action)));
    }

    /** Event whose delivery was skipped. */
    static EventDetails skipped() {
        EventDetails replayed = replayed(DeliveryStatus.DEAD);
        return new EventDetails(
                replayed.event(),
                1,
                replayed.progress(),
                List.of(new EventDetails.HandlerProgress("mail", EventDetails.Outcome.SKIPPED, null, List.of())),
                replayed.operations());
    }

    /** Event that was published and skipped, and then replayed to its handler. */
    static EventDetails replayed(DeliveryStatus status) {
        EventDetails details = details("SKIP");
        boolean dead = status == DeliveryStatus.DEAD;
        return new EventDetails(
                details.event(),
                1,
                new EventDetails.Progress(
                        EventDetails.Status.PUBLISHED, NOW.minusSeconds(60), NOW.minusSeconds(50), null, null),
                List.of(new EventDetails.HandlerProgress(
                        "mail",
                        dead ? EventDetails.Outcome.DEAD : EventDetails.Outcome.OPEN,
                        delivery(1, status),
                        List.of(attempt()))),
                details.operations());
    }

    static EventDetails.Content content() {
        return new EventDetails.Content("{\"text\": \"" + EVIL.replace("\"", "\\\"") + "\"}", Map.of("traceId", EVIL));
    }

    static Operation operation(long id) {
        return operation(id, "RETRY");
    }

    private static Operation operation(long id, String action) {
        return new Operation(
                id,
                NOW.minusSeconds(10),
                "ann",
                action,
                EVIL,
                new Operation.Subject(
                        "default", "mail", EVENT, DeliveryStatus.DEAD, new Delivery.Failure("IOException", EVIL)),
                null);
    }

    static LaneReport lane(LaneReport.Cause cause, @Nullable Delivery head) {
        return new LaneReport(
                "mail",
                "Order",
                EVIL,
                cause,
                head,
                new LaneReport.Counts(new Count(5, true), new Count(1, true), new Count(2, true)),
                LaneReport.Front.NONE);
    }

    static EventPage found() {
        return new EventPage(List.of(new EventPage.Entry(details().event(), EventDetails.Status.DEAD)), 17L);
    }

    static Replay replay() {
        return new Replay(
                4,
                Replay.Kind.REPLAY,
                ReplayRequest.of("mail").aggregate("Order", EVIL).occurred(NOW.minusSeconds(9), null),
                null,
                new Replay.Origin("ann", EVIL, NOW.minusSeconds(8)),
                Replay.Status.RUNNING,
                new Replay.Progress(
                        null, 100, new Count(40, true), new Count(1, true), 0, false, Duration.ofSeconds(4), null));
    }

    static Replay bulk(Replay.Kind kind, DeliverySelection selection, @Nullable Instant finishedAt) {
        return new Replay(
                6,
                kind,
                ReplayRequest.of("mail").rate(200),
                selection,
                new Replay.Origin("ann", "fixed", NOW.minusSeconds(8)),
                finishedAt == null ? Replay.Status.RUNNING : Replay.Status.DONE,
                new Replay.Progress(
                        19_998L,
                        400,
                        new Count(30, true),
                        new Count(7, true),
                        2,
                        finishedAt != null,
                        Duration.ofSeconds(4),
                        finishedAt));
    }
}
