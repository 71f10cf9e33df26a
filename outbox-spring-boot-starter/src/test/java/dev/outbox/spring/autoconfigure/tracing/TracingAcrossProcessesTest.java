package dev.outbox.spring.autoconfigure.tracing;

import static dev.outbox.spring.autoconfigure.tracing.Traced.order;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.testing.TestDatabase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
class TracingAcrossProcessesTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

    private final TestDatabase database = Applications.database();
    private final List<Process> workers = new ArrayList<>();

    @TempDir
    private Path directory;

    @AfterEach
    void stopWorkersAndDropDatabase() throws InterruptedException {
        for (Process worker : workers) {
            worker.destroyForcibly().waitFor();
        }
        database.close();
    }

    @Test
    void requestAndRetryAfterCrashAreOneTrace() {
        Traced.on(database).withPropertyValues("outbox.poller.enabled=false").run((context) -> {
            Traced shop = new Traced(context);
            assertThat(post(shop)).isEqualTo(204);

            Path first = directory.resolve("first.txt");
            Process crashing = start(first, "--hangs=true");
            awaitLine(first, "handles in " + TRACE);
            // SIGKILL while the handler runs.
            crashing.destroyForcibly().waitFor();

            Path second = directory.resolve("second.txt");
            start(second);
            SpanData publish = shop.span("publish OrderPlaced");
            awaitLine(second, "span handle mail of " + TRACE + " in " + publish.getSpanId());

            assertThat(lines(first)).noneMatch((line) -> line.startsWith("span "));
            assertThat(lines(second))
                    .filteredOn((line) -> line.startsWith("handles ") || line.startsWith("span "))
                    .hasSize(2)
                    .allMatch((line) -> line.contains(TRACE));
            assertThat(shop.spans())
                    .extracting(SpanData::getName)
                    .containsExactlyInAnyOrder("publish OrderPlaced", "POST /orders");
            assertThat(shop.spans()).extracting(SpanData::getTraceId).containsOnly(TRACE);
        });
    }

    /** Sends a request of a client that has a trace, and returns the status of the response. */
    private static int post(Traced shop) throws IOException, InterruptedException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/orders", (exchange) -> handle(shop, exchange));
        server.start();
        try {
            URI uri = URI.create("http://localhost:" + server.getAddress().getPort() + "/orders");
            HttpRequest request = HttpRequest.newBuilder(uri)
                    .header("traceparent", "00-" + TRACE + "-b7ad6b7169203331-01")
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            return HttpClient.newHttpClient()
                    .send(request, BodyHandlers.discarding())
                    .statusCode();
        } finally {
            server.stop(0);
        }
    }

    /** Publishes inside the observation of the request, as Spring's filter for servlets does. */
    private static void handle(Traced shop, HttpExchange exchange) throws IOException {
        ReceiverContext<HttpExchange> context = new ReceiverContext<>(
                (request, name) -> request.getRequestHeaders().getFirst(name), Kind.SERVER);
        context.setCarrier(exchange);
        Observation.createNotStarted(
                        "http.server.requests", () -> context, shop.context().getBean(ObservationRegistry.class))
                .contextualName("POST /orders")
                .observe(() -> shop.publish(order(1)));
        exchange.sendResponseHeaders(204, -1);
        exchange.close();
    }

    private Process start(Path output, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                TracedWorker.class.getName(),
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.username(),
                "--spring.datasource.password=" + database.password(),
                "--management.tracing.sampling.probability=1",
                "--outbox.poller.interval=100ms",
                "--outbox.poller.lease=1s"));
        command.addAll(List.of(arguments));
        Process worker = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        workers.add(worker);
        return worker;
    }

    private void awaitLine(Path output, String line) {
        Process worker = workers.get(workers.size() - 1);
        await().atMost(Duration.ofMinutes(1))
                .failFast("the worker has ended", () -> !worker.isAlive())
                .until(() -> lines(output).contains(line));
    }

    private static List<String> lines(Path output) throws IOException {
        return Files.readAllLines(output);
    }
}
