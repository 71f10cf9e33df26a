package dev.outbox.testing;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Decides which PostgreSQL the tests run on, and creates databases there.
 *
 * <p>The shared server is, in this order: the one that {@code OUTBOX_TEST_JDBC_URL} names (credentials in the URL or in
 * {@code OUTBOX_TEST_JDBC_USER} and {@code OUTBOX_TEST_JDBC_PASSWORD}; the role must be a superuser), Testcontainers
 * where a Docker engine answers and {@code OUTBOX_TEST_DOCKER} is not {@code false}, or an embedded server. A container that does not start
 * fails the tests. Every server prints one line when it starts, and stops with the JVM at the latest.
 */
public final class TestPostgres implements AutoCloseable {

    private static final String DOCKER = "OUTBOX_TEST_DOCKER";

    private final TestServer server;
    private final String version;
    private final String strategy;
    private final List<TestDatabase> templates = new CopyOnWriteArrayList<>();

    TestPostgres(TestServer server) {
        this.server = server;
        this.version = server.address().setting("server_version");
        this.strategy = server.copiesFiles() ? " STRATEGY FILE_COPY" : "";
        TestRoles.create(server.address());
        System.out.println("TestPostgres: PostgreSQL " + version + ", " + server.kind() + ", "
                + server.address().hosts());
    }

    /** The one server of this JVM, started by the first call; do not close it. */
    public static TestPostgres shared() {
        return Shared.POSTGRES;
    }

    /** An embedded server of its own, for tests that must choose its settings; the caller closes it. */
    public static TestPostgres start(ServerSettings settings) {
        return new TestPostgres(TestServer.embedded(null, settings));
    }

    /** An embedded server of another version; the caller closes it. */
    public static TestPostgres start(PostgresBinaries binaries, ServerSettings settings) {
        return new TestPostgres(TestServer.embedded(binaries, settings));
    }

    static TestPostgres choose(Map<String, String> environment) {
        return choose(environment, new DockerEngine(environment)::answers, TestServer::inDocker);
    }

    static TestPostgres choose(
            Map<String, String> environment, BooleanSupplier docker, Function<ServerSettings, TestServer> container) {
        String url = environment.get("OUTBOX_TEST_JDBC_URL");
        if (url != null && !url.isBlank()) {
            return new TestPostgres(TestServer.given(url, environment));
        }
        boolean embedded = "false".equals(environment.get(DOCKER)) || !docker.getAsBoolean();
        return new TestPostgres(embedded ? TestServer.embedded(null, ServerSettings.fast()) : run(container));
    }

    private static TestServer run(Function<ServerSettings, TestServer> container) {
        try {
            return container.apply(ServerSettings.fast());
        } catch (RuntimeException ex) {
            throw new IllegalStateException(
                    "Docker answers but could not run PostgreSQL; set " + DOCKER + "=false to use an embedded server",
                    ex);
        }
    }

    /** Creates an empty database for one test. */
    public TestDatabase newDatabase() {
        return copy("template0");
    }

    /** Creates a copy of a template. */
    public TestDatabase newDatabase(TestDatabase template) {
        return copy(template.name());
    }

    /** Creates a database to be copied, which accepts no connection once it is prepared. Lives as long as the server. */
    public TestDatabase newTemplate(Consumer<TestDatabase> preparation) {
        TestDatabase template = newDatabase();
        templates.add(template);
        preparation.accept(template);
        template.cutOff();
        return template;
    }

    private TestDatabase copy(String template) {
        String name = "outbox_" + UUID.randomUUID().toString().replace("-", "");
        server.address()
                .executeRetrying(
                        "CREATE DATABASE " + name + " TEMPLATE " + template + " OWNER " + TestRoles.OWNER + strategy);
        return new TestDatabase(server.address(), name);
    }

    /** The server's version as it reports it, such as {@code 18.6}. */
    public String version() {
        return version;
    }

    /** The major version, such as 18. */
    public int majorVersion() {
        return Integer.parseInt(version.replaceFirst("\\D.*", ""));
    }

    /** Stops the server, unless it is external. */
    @Override
    public void close() {
        if (server.outlivesTests()) {
            templates.forEach(TestDatabase::close);
        }
        server.stop().run();
    }

    private static final class Shared {

        static final TestPostgres POSTGRES = choose(System.getenv());

        static {
            Runtime.getRuntime().addShutdownHook(new Thread(POSTGRES::close, "test-postgres-stop"));
        }
    }
}
