package dev.outbox.sample.fulfilment;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.OrderEvent.OrderPaid;
import org.springframework.stereotype.Component;

/**
 * Books a parcel for each order that is paid. What happens in another system cannot commit with a row of ours, so a timeout is tried
 * again, and the event's id tells the courier that it is the same parcel.
 */
@Component
class Parcels {

    private final Courier courier;

    Parcels(Courier courier) {
        this.courier = courier;
    }

    @OutboxHandler(id = "fulfilment.parcel")
    void orderPaid(OrderPaid event, EventEnvelope envelope) {
        courier.book(envelope.eventId(), envelope.aggregateId());
    }
}
