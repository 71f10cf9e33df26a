package dev.outbox.testing.kafka;

import dev.outbox.testing.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Broker and controller in a process of its own. It keeps its ports and its files when it is killed and started again. Used by one thread. */
public final class KafkaBroker {

    private static final Duration STOP_DEADLINE = Duration.ofSeconds(30);
    private static final String LOGGING = "/dev/outbox/testing/kafka/logback-broker.xml";

    private final int id;
    private final BrokerPorts ports;
    private final Path directory;
    private final String clusterId;
    private final @Nullable TcpProxy proxy;
    private @Nullable Process process;

    KafkaBroker(int id, BrokerPorts ports, Path directory, String clusterId, boolean proxied) {
        this.id = id;
        this.ports = ports;
        this.directory = directory;
        this.clusterId = clusterId;
        this.proxy = proxied ? TcpProxy.to("localhost", ports.client()) : null;
    }

    /** Number of the broker, from 1. */
    public int id() {
        return id;
    }

    /** Whether it has been started and not killed since. */
    public boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** Network between the clients and this broker. Brokers among themselves, and the cluster's administrator, do not use it. */
    public TcpProxy proxy() {
        if (proxy == null) {
            throw new IllegalStateException("This cluster was started without proxies");
        }
        return proxy;
    }

    /** Kills the process with SIGKILL, and returns when it has ended. */
    public void kill() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException("Broker " + id + " does not run");
        }
        running.destroyForcibly()
                .onExit()
                .orTimeout(STOP_DEADLINE.toSeconds(), TimeUnit.SECONDS)
                .join();
        process = null;
    }

    /** Starts the process without waiting until it serves clients. */
    void launch() {
        if (process != null) {
            throw new IllegalStateException("Broker " + id + " runs already");
        }
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-Dlogback.configurationFile=" + KafkaBroker.class.getResource(LOGGING),
                "-cp",
                BrokerMain.classPath(),
                BrokerMain.class.getName(),
                clusterId,
                directory.resolve("server.properties").toString());
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("Broker " + id + " could not be started", e);
        }
    }

    /** Returns itself if it accepts connections. */
    Optional<KafkaBroker> listens() {
        if (!isRunning()) {
            throw new IllegalStateException("Broker " + id + " has ended; its log:\n" + log());
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), ports.internal())) {
            return socket.isConnected() ? Optional.of(this) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Ends the process if it runs, and closes its network. */
    void abandon() {
        if (process != null) {
            kill();
        }
        if (proxy != null) {
            proxy.close();
        }
    }

    BrokerPorts ports() {
        return ports;
    }

    Path directory() {
        return directory;
    }

    /** Where clients reach it. */
    String address() {
        return "localhost:" + (proxy == null ? ports.client() : proxy.port());
    }

    /** Where the other brokers reach it. */
    String internalAddress() {
        return "localhost:" + ports.internal();
    }

    private String log() {
        try {
            return Files.readString(logFile());
        } catch (IOException e) {
            return e.toString();
        }
    }

    private Path logFile() {
        return directory.resolve("server.log");
    }
}
