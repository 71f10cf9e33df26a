package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;

/** The service as it starts from a clean clone: with no database configured, on the embedded server. */
@Tag("full")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@DirtiesContext
class EmbeddedPostgresTest {

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void servesWithoutADatabaseOfItsOwn() {
        Api api = new Api(port);

        api.subscribe("guild-embedded", "pro");

        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(
                        () -> assertThat(api.licensesOf("guild-embedded")).hasSize(1));
    }

    @Test
    void losesNoCommitIfTheMachineFails() {
        assertThat(jdbc.sql("""
                        SELECT setting
                          FROM pg_settings
                         WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')
                        """).query(String.class).list()).containsExactly("on", "on", "on");
    }
}
