package dev.outbox.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports for the processes that tests start, which bind them seconds later and again after each crash.
 *
 * <p>They lie below the ports that Linux gives to outgoing connections and to servers that ask for any port: neither a client that
 * reconnects nor a proxy of another test can take one meanwhile.
 */
public final class FreePort {

    private static final int FIRST = 15_000;
    private static final int PAIRS = 8_000;
    private static final int ATTEMPTS = 1_000;

    /** Each holds the odd port after one that was found, which tells other processes that it is taken. */
    private static final Queue<ServerSocket> MARKS = new ConcurrentLinkedQueue<>();

    private FreePort() {}

    /** Finds a port that nothing listens on, and that no other call in any process finds while this JVM lives. */
    public static int find() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = FIRST + 2 * ThreadLocalRandom.current().nextInt(PAIRS);
            try {
                ServerSocket mark = listen(port + 1);
                MARKS.add(mark);
                listen(port).close();
                return port;
            } catch (IOException e) {
                // Another process has it.
            }
        }
        throw new IllegalStateException("There is no free port from " + FIRST + " on");
    }

    private static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    }
}
