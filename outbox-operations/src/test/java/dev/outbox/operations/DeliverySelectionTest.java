package dev.outbox.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DeliverySelectionTest {

    private static final DeliverySelection OF_MAIL = DeliverySelection.all().ofHandler("mail");

    @Test
    void narrowingKeepsWhatWasSelected() {
        UUID event = UUID.randomUUID();

        assertThat(OF_MAIL.ofAggregate("Order", null)
                        .ofEvent(event)
                        .inStream("push")
                        .ofEventType("Paid")
                        .withErrorCode("TIMEOUT")
                        .orRetriedBy(3)
                        .withStatus(DeliveryStatus.DEAD, DeliveryStatus.DEAD)
                        .after(7, "mail")
                        .created(null, null))
                .isEqualTo(new DeliverySelection(
                        "mail",
                        "Order",
                        null,
                        Set.of(event),
                        "push",
                        "Paid",
                        "TIMEOUT",
                        3L,
                        Set.of(DeliveryStatus.DEAD),
                        new DeliverySelection.Range(null, null, new DeliverySelection.Place(7, "mail"))));
    }
}
