package dev.outbox.repair;

import dev.outbox.Delivery;
import dev.outbox.DeliverySelection;
import dev.outbox.DeliveryStatus;
import java.util.List;
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
}
