package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;

/** The service as it starts from a clean clone: with no database configured, on the embedded server. */
@Tag("full")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@DirtiesContext
class EmbeddedPostgresTest {

    @LocalServerPort
    private int port;

    @Test
    void servesWithoutADatabaseOfItsOwn() {
        Api api = new Api(port);

        api.subscribe("guild-embedded", "pro");

        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(
                        () -> assertThat(api.licensesOf("guild-embedded")).hasSize(1));
    }
}
