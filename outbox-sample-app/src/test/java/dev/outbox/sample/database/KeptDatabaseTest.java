package dev.outbox.sample.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.mock.env.MockEnvironment;

/** The service on an embedded server whose data stays. */
@Tag("full")
class KeptDatabaseTest {

    @TempDir
    private Path directory;

    @Test
    void whatWasStoredIsThereAfterARestart() {
        List<Map<String, Object>> events;
        try (ConfigurableApplicationContext service = start()) {
            Api api = api(service);
            api.subscribe("guild-kept", "pro");
            api.awaitPublished();
            events = eventsSeenBy(api);

            assertThatIllegalStateException()
                    .isThrownBy(() -> EmbeddedDatabase.in(directory, 0))
                    .withMessageContaining("runs on " + directory + " already")
                    .withMessageContaining("spring.datasource.url=");
        }

        try (ConfigurableApplicationContext service = start()) {
            Api api = api(service);
            assertThat(api.licensesOf("guild-kept")).hasSize(1);
            assertThat(eventsSeenBy(api)).isNotEmpty().isEqualTo(events);
            assertThat(durability(service)).containsExactly("on", "on", "on");

            api.subscribe("guild-new", "pro");
            assertThat(api.awaitPublished()).contains("SubscriptionStarted", "LicenseGranted");
        }
    }

    @Test
    void oneDatabaseIsEnough() {
        MockEnvironment environment = new MockEnvironment()
                .withProperty("demo.data-dir", directory.toString())
                .withProperty("spring.datasource.url", "jdbc:postgresql://localhost/umbra");

        assertThatIllegalStateException()
                .isThrownBy(() -> new EmbeddedDatabaseConfiguration().embeddedDatabase(environment))
                .withMessageContaining("names a database already, jdbc:postgresql://localhost/umbra");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void whatACrashHasLeftIsNoServer() throws IOException {
        long otherProcess = ProcessHandle.current().pid();
        Files.writeString(directory.resolve("postmaster.pid"), otherProcess + "\n/data\n1790000000\n5432\n");

        assertThat(RunningServer.in(directory)).isEmpty();
    }

    private ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(SampleApplication.class)
                .properties(Map.of("server.port", "0", "demo.data-dir", directory.toString()))
                .run();
    }

    private static Api api(ConfigurableApplicationContext service) {
        return new Api(service.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }

    private static List<Map<String, Object>> eventsSeenBy(Api api) {
        return api.get("/events", "$[*]['id', 'eventId', 'status', 'publishedAt']");
    }

    private static List<String> durability(ConfigurableApplicationContext service) {
        return service.getBean(JdbcClient.class).sql("""
                        SELECT setting
                          FROM pg_settings
                         WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')
                        """).query(String.class).list();
    }
}
