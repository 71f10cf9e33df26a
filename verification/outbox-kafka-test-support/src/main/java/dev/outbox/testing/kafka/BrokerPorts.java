package dev.outbox.testing.kafka;

import dev.outbox.testing.FreePort;

/**
 * Ports of one broker, which it keeps across restarts.
 *
 * @param internal for the other brokers, and for tests past any proxy
 * @param client for clients
 * @param controller for the quorum
 */
record BrokerPorts(int internal, int client, int controller) {

    static BrokerPorts free() {
        return new BrokerPorts(FreePort.find(), FreePort.find(), FreePort.find());
    }
}
