package dev.outbox.sample.tasks;

import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.EventPage;
import dev.outbox.operations.EventSelection;
import dev.outbox.operations.FailureGroup;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Changed;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.Replay;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The operator tasks of the documentation, in Java. */
class OperatorTasks {

    private final OutboxInspector inspector;
    private final OutboxOperations operations;
    private final Replays replays;

    OperatorTasks(OutboxInspector inspector, OutboxOperations operations, Replays replays) {
        this.inspector = inspector;
        this.operations = operations;
        this.replays = replays;
    }

    OutboxOverview whatWaits() {
        return inspector.overview();
    }

    List<FailureGroup> whatFails() {
        return inspector.failures();
    }

    List<Delivery> deadLetters() {
        DeliverySelection dead =
                DeliverySelection.all().ofHandler("fulfilment.order").withStatus(DeliveryStatus.DEAD);
        return operations.find(dead, 100);
    }

    List<LaneReport> whyIsItStuck() {
        return inspector.lanes("order", "ORD-10001");
    }

    EventPage eventsOfTheOrder() {
        return inspector.findEvents(EventSelection.ofAggregate("order", "ORD-10001"), 100);
    }

    Optional<EventDetails> oneEvent(UUID eventId) {
        return inspector.findEvent(eventId);
    }

    Changed retryOneLane() {
        DeliverySelection lane = DeliverySelection.lane("fulfilment.order", "order", "ORD-10001");
        return operations.retry(lane, "ann", "the handler is mended");
    }

    Changed retryOneKindOfFailure() {
        DeliverySelection failed =
                DeliverySelection.all().ofHandler("fulfilment.order").withErrorCode("InjectedFaultException");
        return operations.retry(failed, "ann", "the handler is mended");
    }

    Changed skipOneDelivery(UUID eventId) {
        return operations.skip(
                DeliverySelection.delivery(eventId, "fulfilment.order"), "ann", "shipped by hand, ticket 4711");
    }

    boolean pauseHandler() {
        return operations.pauseHandler("push.send", "ann", "the provider changes");
    }

    boolean resumeHandler() {
        return operations.resumeHandler("push.send", "ann", "it is there");
    }

    boolean pauseStream() {
        return operations.pauseStream("push", "ann", "maintenance");
    }

    boolean resumeStream() {
        return operations.resumeStream("push", "ann", "maintenance is over");
    }

    long replay() {
        ReplayRequest again = ReplayRequest.of("audit.record")
                .eventTypes("OrderPlaced", "OrderPaid")
                .rate(50);
        return replays.start(again, "ann", "the audit was restored");
    }

    Optional<Replay> progress(long replay) {
        return replays.find(replay);
    }

    boolean cancel(long replay) {
        return replays.cancel(replay, "ann");
    }

    List<Operation> whoDidWhat() {
        return operations.operations(OperationSelection.ofHandler("fulfilment.order"), 100);
    }
}
