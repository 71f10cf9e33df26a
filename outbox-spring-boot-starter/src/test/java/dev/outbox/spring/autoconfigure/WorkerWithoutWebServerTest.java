package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.spring.autoconfigure.operations.OutboxOperationsAutoConfiguration;
import dev.outbox.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

@Tag("full")
class WorkerWithoutWebServerTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @TempDir
    private Path directory;

    @Test
    void staysAliveUntilItsContextCloses() throws IOException, InterruptedException {
        Path output = directory.resolve("output.txt");
        Process worker = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Worker.class.getName(),
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--outbox.poller.interval=100ms")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            awaitLine(worker, output, "main has ended");
            Applications.on(database)
                    .withBean(Subscriptions.class)
                    .withPropertyValues("outbox.poller.enabled=false")
                    .run((context) -> {
                        Subscriptions subscriptions = context.getBean(Subscriptions.class);
                        subscriptions.start("1", "gold");
                        awaitLine(worker, output, "handled gold");
                        assertThat(worker.isAlive()).isTrue();

                        subscriptions.start("2", "close");
                        assertThat(worker.waitFor(60, TimeUnit.SECONDS)).isTrue();
                    });
            assertThat(worker.exitValue()).isZero();
        } finally {
            worker.destroyForcibly();
        }
    }

    private static void awaitLine(Process worker, Path output, String line) {
        await().atMost(Duration.ofMinutes(1))
                .failFast("the worker has ended", () -> !worker.isAlive())
                .until(() -> Files.readAllLines(output).contains(line));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        OutboxAutoConfiguration.class,
        OutboxOperationsAutoConfiguration.class
    })
    @Import(Closing.class)
    static class Worker {

        public static void main(String... arguments) {
            SpringApplication.run(Worker.class, arguments);
            System.out.println("main has ended");
        }
    }

    static final class Closing {

        private final ConfigurableApplicationContext context;

        Closing(ConfigurableApplicationContext context) {
            this.context = context;
        }

        @OutboxHandler(id = "closing")
        void handle(SubscriptionStarted event, EventEnvelope envelope) {
            System.out.println("handled " + event.plan());
            if (event.plan().equals("close")) {
                Thread thread = new Thread(context::close);
                thread.setDaemon(true);
                thread.start();
            }
        }
    }
}
