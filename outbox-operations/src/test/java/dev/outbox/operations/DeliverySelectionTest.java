package dev.outbox.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DeliverySelectionTest {

    private static final DeliverySelection OF_MAIL = DeliverySelection.all().ofHandler("mail");

    static Stream<ThrowingCallable> selectionsWithAMissingValue() {
        return Stream.of(
                () -> DeliverySelection.delivery(null, "mail"),
                () -> DeliverySelection.delivery(UUID.randomUUID(), null),
                () -> DeliverySelection.lane("mail", "Order", null),
                () -> DeliverySelection.lane("mail", null, "o-1"),
                () -> OF_MAIL.inStream(null),
                () -> OF_MAIL.ofEventType(null),
                () -> OF_MAIL.withErrorCode(null),
                () -> ReplayRequest.of("mail").event(null),
                () -> ReplayRequest.of("mail").aggregate(null, null));
    }

    /** A command on it would change every delivery of the handler, or replay every event. */
    @ParameterizedTest
    @MethodSource("selectionsWithAMissingValue")
    void missingValueSelectsNotMore(ThrowingCallable selection) {
        assertThatExceptionOfType(InvalidOperationException.class)
                .isThrownBy(selection)
                .withMessageContaining("must not be missing");
    }

    @Test
    void narrowingKeepsWhatWasSelected() {
        UUID event = UUID.randomUUID();

        assertThat(OF_MAIL.ofAggregate("Order", null)
                        .ofEvent(event)
                        .inStream("push")
                        .ofEventType("Paid")
                        .withErrorCode("TIMEOUT")
                        .withStatus(DeliveryStatus.DEAD, DeliveryStatus.DEAD)
                        .after(7, "mail")
                        .created(null, null))
                .isEqualTo(new DeliverySelection(
                        "mail",
                        "Order",
                        null,
                        event,
                        "push",
                        "Paid",
                        "TIMEOUT",
                        Set.of(DeliveryStatus.DEAD),
                        new DeliverySelection.Range(null, null, new DeliverySelection.Place(7, "mail"))));
    }
}
