package dev.outbox.sample.fulfilment;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.OrderEvent.OrderPaid;
import org.springframework.stereotype.Component;

/**
 * Books a parcel for each paid order. The courier is another system and cannot join our transaction. After a timeout the handler tries
 * again, and the event id tells the courier that it is the same parcel.
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
