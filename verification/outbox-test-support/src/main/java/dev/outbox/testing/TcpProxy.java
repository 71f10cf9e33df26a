package dev.outbox.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;

/** A network between clients and one PostgreSQL server that fails on demand. Faults apply to open and to new connections, unless they say otherwise. */
public final class TcpProxy implements AutoCloseable {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final int BACKLOG = 200;
    private static final String NONE = "";

    /** PostgreSQL's message {@code CommandComplete} after a commit. */
    private static final String COMMITTED = "C\0\0\0\13COMMIT\0";

    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger commitsToCut = new AtomicInteger();
    private final AtomicInteger commitsCut = new AtomicInteger();
    private final AtomicReference<String> requestToCut = new AtomicReference<>(NONE);
    private volatile Duration delay = Duration.ZERO;
    private volatile boolean blackHole;
    private volatile boolean refusing;

    private TcpProxy(String host, int serverPort) {
        try {
            listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException("The proxy found no port", e);
        }
        server = new InetSocketAddress(host, serverPort);
        start(this::accept, "tcp-proxy-" + listener.getLocalPort());
    }

    /** Starts a proxy on this machine; the caller closes it. */
    public static TcpProxy to(String host, int serverPort) {
        return new TcpProxy(host, serverPort);
    }

    /** The port that clients connect to. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Resets every open connection, in both directions. New ones are accepted. Returns how many were open. */
    public int reset() {
        int count = 0;
        for (ProxiedConnection connection : connections) {
            connection.reset();
            count++;
        }
        return count;
    }

    /** Resets every connection, and every new one at once, until {@link #heal()}. */
    public void refuse() {
        refusing = true;
        reset();
    }

    /**
     * Delivers nothing until {@link #heal()}, without an error: what was sent meanwhile arrives after that. Ends of connections do not
     * arrive either: the server keeps the transactions of a client that has closed its connections or died.
     */
    public void blackHole() {
        blackHole = true;
    }

    /**
     * Delivers nothing on the connections that are open now, without an error, until {@link #heal()}; new ones work. So do networks in which
     * a firewall forgets a flow, or an address moves to another machine. Returns how many were open.
     */
    public int freeze() {
        return freeze((port) -> true);
    }

    /**
     * Freezes some of the open connections, as {@link #freeze()}.
     *
     * @param ports chooses a connection by the port from which the server sees it come, {@code client_port} in {@code pg_stat_activity}
     */
    public int freeze(IntPredicate ports) {
        int count = 0;
        for (ProxiedConnection connection : connections) {
            if (ports.test(connection.serverSidePort())) {
                connection.freeze();
                count++;
            }
        }
        return count;
    }

    /**
     * Freezes the next connection whose client sends a text, in the middle of its messages: the server gets what comes before the text. So do
     * networks that fail between two packets.
     */
    public void freezeBefore(String text) {
        requestToCut.set(text);
    }

    /** Delays all traffic in both directions until {@link #heal()}. */
    public void delay(Duration each) {
        delay = each;
    }

    /**
     * Cuts the next connections that commit: the server has committed, and its reply does not reach the client.
     *
     * @param count how many commits
     */
    public void cutAfterCommit(int count) {
        commitsToCut.set(count);
    }

    /** Number of commits whose replies were cut off. */
    public int commitsCut() {
        return commitsCut.get();
    }

    /** Ends every fault. */
    public void heal() {
        commitsToCut.set(0);
        requestToCut.set(NONE);
        delay = Duration.ZERO;
        refusing = false;
        blackHole = false;
        connections.forEach(ProxiedConnection::thaw);
    }

    /** Resets every connection, and accepts no more. */
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException("The proxy's port could not be closed", e);
        }
        heal();
        reset();
    }

    /** Holds back what is about to be delivered, as long as a fault says. */
    void holdBack(ProxiedConnection connection) {
        if (!delay.isZero()) {
            LockSupport.parkNanos(delay.toNanos());
        }
        holdBackEnd(connection);
    }

    /** Holds back the end of a connection while nothing is delivered. */
    void holdBackEnd(ProxiedConnection connection) {
        while (blackHole || connection.isFrozen()) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }

    /** Returns where a request is to be cut off; negative if nowhere. Cuts one request. */
    int cutsRequest(byte[] bytes, int count) {
        String text = requestToCut.get();
        int found = text.equals(NONE) ? -1 : new String(bytes, 0, count, StandardCharsets.ISO_8859_1).indexOf(text);
        return found >= 0 && requestToCut.compareAndSet(text, NONE) ? found : -1;
    }

    /** Whether a reply says that the server has committed, and is to be cut off; counts it. */
    boolean cutsReply(byte[] bytes, int count) {
        boolean cuts = commitsToCut.get() > 0
                && new String(bytes, 0, count, StandardCharsets.ISO_8859_1).contains(COMMITTED)
                && commitsToCut.getAndUpdate((left) -> Math.max(0, left - 1)) > 0;
        if (cuts) {
            commitsCut.incrementAndGet();
        }
        return cuts;
    }

    void forget(ProxiedConnection connection) {
        connections.remove(connection);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                open(listener.accept());
            } catch (IOException e) {
                // A client that is gone already, a server that is down, or the end of the proxy.
                LockSupport.parkNanos(1);
            }
        }
    }

    private void open(Socket client) throws IOException {
        Socket upstream = new Socket();
        ProxiedConnection connection = new ProxiedConnection(this, client, upstream);
        try {
            upstream.connect(server, Math.toIntExact(CONNECT_TIMEOUT.toMillis()));
        } catch (IOException e) {
            connection.reset();
            throw e;
        }
        connections.add(connection);
        if (refusing || listener.isClosed()) {
            connection.reset();
            return;
        }
        start(connection::request, "tcp-proxy-request");
        start(connection::reply, "tcp-proxy-reply");
    }

    private static void start(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
