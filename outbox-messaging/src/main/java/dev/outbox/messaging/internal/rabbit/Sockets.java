package dev.outbox.messaging.internal.rabbit;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.SocketConfigurator;
import com.rabbitmq.client.impl.NetworkConnection;
import java.io.IOException;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sockets of the connections of a factory. A write to a peer that takes nothing never ends, and whatever closes the connection waits for it:
 * only closing its socket ends both. Safe for use by many threads.
 */
final class Sockets {

    private static final Logger log = LoggerFactory.getLogger(Sockets.class);

    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** Watches the connections that a factory creates from now on. */
    void watch(ConnectionFactory factory) {
        SocketConfigurator configurator = factory.getSocketConfigurator();
        factory.setSocketConfigurator(configurator == null ? this::add : configurator.andThen(this::add));
    }

    private void add(Socket socket) {
        open.removeIf(Socket::isClosed);
        open.add(socket);
    }

    /** Closes the socket of a connection. What it has not sent is lost. */
    void close(Connection connection) {
        if (connection instanceof NetworkConnection network) {
            int port = network.getLocalPort();
            open.stream().filter((socket) -> socket.getLocalPort() == port).forEach(Sockets::close);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException ex) {
            log.debug("A socket to RabbitMQ did not close", ex);
        }
    }
}
