package dev.outbox.operations.internal.operate;

import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Changed;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the documentation shows of the operations. */
final class OperationsSnippets {

    private static final Logger log = LoggerFactory.getLogger(OperationsSnippets.class);

    private final OutboxOperations operations;

    OperationsSnippets(OutboxOperations operations) {
        this.operations = operations;
    }

    List<Delivery> firstOfTheDead() {
        DeliverySelection dead = DeliverySelection.all().ofHandler("mail").withStatus(DeliveryStatus.DEAD);
        log.info("{} dead deliveries", operations.count(dead));
        return operations.find(dead, 100);
    }

    List<Delivery> nextPage(DeliverySelection selection, Delivery last) {
        return operations.find(selection.after(last.event().id(), last.handlerId()), 100);
    }

    void mailIsBack() {
        DeliverySelection failed = DeliverySelection.all().ofHandler("mail").withErrorCode("IOException");
        Changed retried = operations.retry(failed, "ann", "the mail server is back");
        log.info("{} retried, {} busy", retried.affected(), retried.busy());
    }

    void sentByHand(Delivery dead) {
        operations.skip(
                DeliverySelection.delivery(dead.event().eventId(), dead.handlerId()),
                "ann",
                "sent by hand, ticket 4711");
    }

    void startTheLaneAgain() {
        operations.retry(DeliverySelection.lane("billing.ledger", "account", "42"), "ann", "account 42 is repaired");
    }

    List<Operation> whatHappenedTo(UUID eventId) {
        return operations.operations(OperationSelection.ofEvent(eventId), 100);
    }

    void whileTheMailServerMoves(Runnable move) {
        operations.pauseHandler("mail", "ann", "the mail server moves");
        move.run();
        operations.resumeHandler("mail", "ann", "it is there");
    }
}
