package dev.outbox.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * RabbitMQ in a process of its own, with the user {@code guest}. It keeps its ports and its files when it is killed and started again. Used by
 * one thread.
 */
public final class RabbitProcess implements AutoCloseable {

    /** Tells a skipped test what is missing. */
    public static final String MISSING = "RabbitMQ is not installed: apt-get install rabbitmq-server";

    /** Bytes of the largest message that it takes, fewer than an event may have. */
    public static final int LARGEST_MESSAGE = 1 << 18;

    /** Where Debian has the scripts that run as any user. */
    private static final File SCRIPTS = new File("/usr/lib/rabbitmq/bin");

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    private final Path directory;
    private final int port;
    private final Map<String, String> environment;

    /** Finds the node by its name. A node that finds none starts one, which would stay. */
    private final Process portMapper;

    private @Nullable Process process;

    private RabbitProcess(Path directory, int port) throws IOException {
        this.directory = directory;
        this.port = port;
        int mapper = FreePort.find();
        int control = FreePort.find();
        this.environment = Map.ofEntries(
                Map.entry("HOME", directory.toString()),
                Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
                Map.entry("ERL_EPMD_PORT", String.valueOf(mapper)),
                Map.entry("RABBITMQ_NODENAME", "rabbit" + port + "@localhost"),
                Map.entry("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1"),
                Map.entry("RABBITMQ_NODE_PORT", String.valueOf(port)),
                Map.entry("RABBITMQ_DIST_PORT", String.valueOf(FreePort.find())),
                Map.entry("RABBITMQ_CTL_DIST_PORT_MIN", String.valueOf(control)),
                Map.entry("RABBITMQ_CTL_DIST_PORT_MAX", String.valueOf(control)),
                Map.entry("RABBITMQ_MNESIA_BASE", directory.resolve("data").toString()),
                Map.entry("RABBITMQ_LOG_BASE", directory.resolve("log").toString()),
                Map.entry(
                        "RABBITMQ_CONFIG_FILE",
                        Files.writeString(
                                        directory.resolve("rabbitmq.conf"),
                                        "max_message_size = " + LARGEST_MESSAGE + "\n")
                                .toString()),
                Map.entry(
                        "RABBITMQ_ENABLED_PLUGINS_FILE",
                        Files.writeString(directory.resolve("plugins"), "[rabbitmq_consistent_hash_exchange].")
                                .toString()));
        this.portMapper = launch("epmd", "-port", String.valueOf(mapper), "-address", "127.0.0.1");
    }

    /** Returns whether the server is installed. */
    public static boolean isInstalled() {
        return new File(SCRIPTS, "rabbitmq-server").canExecute();
    }

    /** Starts the server, and returns when it accepts connections. */
    public static RabbitProcess start() {
        try {
            RabbitProcess started = new RabbitProcess(Files.createTempDirectory("rabbitmq-"), FreePort.find());
            started.restart();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("RabbitMQ could not be started", e);
        }
    }

    /** Port of AMQP 0-9-1 on {@code localhost}. */
    public int port() {
        return port;
    }

    /** Kills the server with SIGKILL, and returns when it has ended. */
    public void kill() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException("RabbitMQ does not run");
        }
        List<ProcessHandle> group = Stream.concat(Stream.of(running.toHandle()), running.descendants())
                .toList();
        group.forEach(ProcessHandle::destroyForcibly);
        group.forEach((one) ->
                one.onExit().orTimeout(DEADLINE.toSeconds(), TimeUnit.SECONDS).join());
        process = null;
    }

    /** Starts the server after {@link #kill}, and returns when it accepts connections. */
    public void restart() {
        process = launch(new File(SCRIPTS, "rabbitmq-server").getPath());
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        while (!accepts()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                String log = log();
                close();
                throw new IllegalStateException("RabbitMQ does not accept connections; its log:\n" + log);
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
    }

    /** Raises the memory alarm, which blocks each connection that publishes. */
    public void raiseMemoryAlarm() {
        control("set_vm_memory_high_watermark", "0.00001");
    }

    /** Ends the memory alarm. */
    public void endMemoryAlarm() {
        control("set_vm_memory_high_watermark", "0.8");
    }

    private void control(String... arguments) {
        List<String> command = new ArrayList<>(List.of(new File(SCRIPTS, "rabbitmqctl").getPath()));
        command.addAll(List.of(arguments));
        int status = launch(command.toArray(String[]::new))
                .onExit()
                .orTimeout(DEADLINE.toSeconds(), TimeUnit.SECONDS)
                .join()
                .exitValue();
        if (status != 0) {
            throw new IllegalStateException(command + " ended with " + status + "; the log:\n" + log());
        }
    }

    private Process launch(String... command) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("output").toFile()));
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(command[0] + " could not be started", e);
        }
    }

    private boolean accepts() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private String log() {
        try {
            return Files.readString(directory.resolve("output"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Kills the server, and deletes its files. */
    @Override
    public void close() {
        if (process != null) {
            kill();
        }
        portMapper.destroyForcibly().onExit().join();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The files of RabbitMQ could not be deleted", e);
        }
    }
}
