package dev.outbox.messaging.internal.channel;

import dev.outbox.EventEnvelope;
import dev.outbox.forwarding.internal.CloudEvents;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.support.GenericMessage;

/** Creates the messages of a route: the stored payload as text, with the CloudEvents attributes as headers. */
public record ChannelMessages(String name, ChannelRoute route, String source)
        implements Function<EventEnvelope, ChannelMessage> {

    /** Header that an acknowledgement returns. */
    static final String DELIVERY = "outbox_delivery";

    /** Of the headers that are attributes of CloudEvents: JMS permits the names. */
    private static final String PREFIX = "ce_";

    /** What JMS calls the messages that keep their order. */
    public static final String GROUP = "JMSXGroupID";

    /** Spring would obey them, and an event may come from another service. */
    private static final Set<String> RESERVED = Set.of(
            MessageHeaders.ID,
            MessageHeaders.TIMESTAMP,
            MessageHeaders.REPLY_CHANNEL,
            MessageHeaders.ERROR_CHANNEL,
            DELIVERY);

    @Override
    public ChannelMessage apply(EventEnvelope event) {
        String delivery = name + ":" + event.eventId();
        Map<String, Object> headers = new LinkedHashMap<>(CloudEvents.headers(event, source, PREFIX));
        headers.keySet().removeAll(RESERVED);
        headers.put(MessageHeaders.CONTENT_TYPE, CloudEvents.JSON);
        headers.put(GROUP, event.aggregateId());
        if (route.isAcknowledged()) {
            headers.put(DELIVERY, delivery);
        }
        return new ChannelMessage(route, delivery, new GenericMessage<>(event.payload(), headers));
    }
}
