package dev.outbox.sample.push;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.Headers;
import dev.outbox.sample.events.TradeEvent.OrderAccepted;
import java.util.List;
import org.springframework.stereotype.Component;

/** Pushes accepted orders to the devices of their owners. An owner without a device gets the message of the notifications only. */
@Component
class OrderMessages {

    private final Inbox inbox;
    private final Devices devices;
    private final PushRequests requests;

    OrderMessages(Inbox inbox, Devices devices, PushRequests requests) {
        this.inbox = inbox;
        this.devices = devices;
        this.requests = requests;
    }

    @OutboxHandler(id = "push.order-accepted", deduplicate = true)
    void orderAccepted(OrderAccepted event, EventEnvelope envelope) {
        String owner = envelope.headers().get(Headers.OWNER_ID);
        if (owner != null && devices.find(owner).isPresent()) {
            inbox.put(
                            PushRequests.messageOf(envelope),
                            owner,
                            "Order accepted",
                            "in " + envelope.headers().get(Headers.MARKET))
                    .ifPresent((id) -> requests.publish(List.of(id)));
        }
    }
}
