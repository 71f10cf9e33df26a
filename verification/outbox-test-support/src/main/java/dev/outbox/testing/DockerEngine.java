package dev.outbox.testing;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;

/** Detects within milliseconds that there is no Docker engine, so that Testcontainers starts only if there may be one. */
final class DockerEngine {

    private static final int CONNECT_TIMEOUT_MILLIS = 500;

    private final Map<String, String> environment;

    DockerEngine(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Never throws. Does not initialize Testcontainers without an engine, because that is slow and fills the log. */
    boolean answers() {
        try {
            return listens() && DockerClientFactory.instance().isDockerAvailable();
        } catch (RuntimeException | LinkageError e) {
            return false;
        }
    }

    private boolean listens() {
        String host = environment.getOrDefault("DOCKER_HOST", "");
        if (host.isEmpty()) {
            return usualSockets().anyMatch(DockerEngine::accepts);
        }
        URI address = URI.create(host);
        return switch (String.valueOf(address.getScheme())) {
            case "unix" -> accepts(Path.of(address.getPath()));
            case "tcp", "http", "https" -> accepts(new InetSocketAddress(address.getHost(), address.getPort()));
            default -> true;
        };
    }

    private Stream<Path> usualSockets() {
        Path home = Path.of(System.getProperty("user.home"));
        Path runtime = Path.of(environment.getOrDefault("XDG_RUNTIME_DIR", "/run"));
        return List.of(
                Path.of("/var/run/docker.sock"),
                runtime.resolve("docker.sock"),
                home.resolve(".docker/run/docker.sock"),
                home.resolve(".docker/desktop/docker.sock"))
                .stream();
    }

    private static boolean accepts(Path socket) {
        if (!Files.exists(socket)) {
            return false;
        }
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            return channel.isConnected();
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static boolean accepts(SocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_TIMEOUT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
