package dev.outbox.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;

/** Asks Testcontainers, which is slow and fills the log without an engine, only if there may be one. */
record DockerEngine(Map<String, String> environment) {

    /** Never throws. */
    boolean answers() {
        try {
            return (environment.containsKey("DOCKER_HOST") || usualSockets().anyMatch(Files::exists))
                    && DockerClientFactory.instance().isDockerAvailable();
        } catch (RuntimeException | LinkageError e) {
            return false;
        }
    }

    private Stream<Path> usualSockets() {
        Path home = Path.of(System.getProperty("user.home"));
        Path runtime = Path.of(environment.getOrDefault("XDG_RUNTIME_DIR", "/run"));
        return Stream.of(
                Path.of("/var/run/docker.sock"),
                runtime.resolve("docker.sock"),
                home.resolve(".docker/run/docker.sock"),
                home.resolve(".docker/desktop/docker.sock"));
    }
}
