package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.testing.FreePort;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.test.context.ActiveProfiles;

/** The service as two processes on one database: one that answers, and one that works. */
@Tag("full")
@SampleTest
@ActiveProfiles("web")
class WebAndWorkerTest {

    private static final Duration START = Duration.ofSeconds(60);

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcConnectionDetails database;

    @Autowired
    private MeterRegistry meters;

    @Test
    void whatOneProcessPublishesTheOtherHandles() throws Exception {
        Api web = new Api(port);
        web.subscribe("guild-web", "pro");
        assertThat(web.events()).isNotEmpty().extracting("status").containsOnly("PENDING");

        int watched = FreePort.find();
        Process process = startWorker(watched);
        try {
            Api worker = new Api(watched);
            await().atMost(START).until(() -> web.licensesOf("guild-web").size() == 1);
            web.awaitPublished();

            web.subscribe("guild-quick", "pro");
            assertThat(web.awaitPublished()).contains("LicenseGranted");
            assertThat(web.messagesTo("user-of-guild-quick")).hasSize(1);
            assertThat(worker.text("/actuator/health", "$.components.outbox.status"))
                    .isEqualTo("UP");
            assertThat(worker.get("/actuator/prometheus").getBody()).contains("outbox_processed_total");
            assertThat(worker.get("/licenses").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
            breakAndMendWhatTheWorkerDoes(new Api(port));
        } finally {
            process.destroy();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(meters.find("outbox.processed").counters())
                .as("what the web process has handled")
                .isEmpty();
        web.subscribe("guild-later", "pro");
        assertThat(web.events())
                .filteredOnNull("publishedAt")
                .isNotEmpty()
                .extracting("status")
                .containsOnly("PENDING");
    }

    private static void breakAndMendWhatTheWorkerDoes(Api web) {
        web.fault("fulfilment.order", "failPercent=100");
        web.order("bell");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() ->
                        assertThat(web.events()).extracting("lastErrorCode").containsExactly("InjectedFaultException"));

        web.delete("/demo/faults");
        web.awaitPublished();
    }

    private Process startWorker(int watched) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SampleApplication.class.getName(),
                "--spring.profiles.active=worker",
                "--management.server.port=" + watched,
                "--spring.datasource.url=" + database.getJdbcUrl(),
                "--spring.datasource.username=" + database.getUsername(),
                "--spring.datasource.password=" + database.getPassword());
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Path.of("target", "worker.log").toFile())
                .start();
    }
}
