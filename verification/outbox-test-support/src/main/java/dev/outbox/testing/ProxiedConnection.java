package dev.outbox.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** One connection of a client through a {@link TcpProxy}: a thread for each direction. */
final class ProxiedConnection {

    private static final int BUFFER = 1 << 14;

    private final TcpProxy proxy;
    private final Socket client;
    private final Socket server;
    private volatile boolean frozen;

    ProxiedConnection(TcpProxy proxy, Socket client, Socket server) {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
    }

    /** Forwards what the client sends, until either side ends the connection. */
    void request() {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream input = client.getInputStream();
            OutputStream output = server.getOutputStream();
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            int count;
            while ((count = input.read(buffer)) >= 0) {
                proxy.holdBack(this);
                int before = proxy.cutsRequest(buffer, count);
                if (before >= 0) {
                    output.write(buffer, 0, before);
                    output.flush();
                    freeze();
                    proxy.holdBackEnd(this);
                    output.write(buffer, before, count - before);
                } else {
                    output.write(buffer, 0, count);
                }
                output.flush();
            }
        } catch (IOException e) {
            // The connection is over, for the other direction too.
        } finally {
            proxy.holdBackEnd(this);
            reset();
        }
    }

    /** Forwards what the server sends, unless it is the reply to a commit that is to be cut off. */
    void reply() {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream input = server.getInputStream();
            OutputStream output = client.getOutputStream();
            int count;
            while ((count = input.read(buffer)) >= 0) {
                if (proxy.cutsReply(buffer, count)) {
                    return;
                }
                proxy.holdBack(this);
                output.write(buffer, 0, count);
                output.flush();
            }
        } catch (IOException e) {
            // The connection is over, for the other direction too.
        } finally {
            proxy.holdBackEnd(this);
            reset();
        }
    }

    void freeze() {
        frozen = true;
    }

    void thaw() {
        frozen = false;
    }

    boolean isFrozen() {
        return frozen;
    }

    /** The port from which the server sees the connection come. */
    int serverSidePort() {
        return server.getLocalPort();
    }

    /** Ends both halves with a reset, so that neither side sees an orderly end. */
    void reset() {
        proxy.forget(this);
        reset(client);
        reset(server);
        // Only now, so that nothing that was held back arrives.
        thaw();
    }

    private static void reset(Socket socket) {
        try (socket) {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // It is closed already.
        }
    }
}
