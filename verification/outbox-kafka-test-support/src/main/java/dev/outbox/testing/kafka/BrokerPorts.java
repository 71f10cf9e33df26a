package dev.outbox.testing.kafka;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of one broker, which it keeps across restarts.
 *
 * @param internal for the other brokers, and for tests past any proxy
 * @param client for clients
 * @param controller for the quorum
 */
record BrokerPorts(int internal, int client, int controller) {

    private static final int ATTEMPTS = 1000;

    // Below the ports that Linux gives to outgoing connections: a client that reconnects must not take the port of a
    // dead broker.
    private static final int FIRST = 15_000;
    private static final int LAST = 31_000;

    static BrokerPorts free() {
        return new BrokerPorts(freePort(), freePort(), freePort());
    }

    private static int freePort() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // Another process has it.
            }
        }
        throw new IllegalStateException("There is no free port between " + FIRST + " and " + LAST);
    }
}
