package dev.outbox.messaging.autoconfigure;

import dev.outbox.forwarding.autoconfigure.Broker;
import dev.outbox.forwarding.autoconfigure.RouteHandlers;

/** Routes to message channels. */
final class ChannelRoutes extends RouteHandlers {

    static final Broker CHANNEL = new Broker("channel", "message channels");

    /** Prefix of the properties, for annotations. */
    static final String PREFIX = "outbox.channel.routes";

    ChannelRoutes() {
        super(CHANNEL);
    }
}
