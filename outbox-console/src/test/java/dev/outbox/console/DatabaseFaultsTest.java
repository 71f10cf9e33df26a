package dev.outbox.console;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxPublisher;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.servlet.function.RouterFunction;

/** What every page of the console answers while the database is away or slow, and that it does so within 2 s. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DatabaseFaultsTest {

    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final int CLIENTS = 8;
    private static final Pattern ROUTE = Pattern.compile("\\(\\[?(GET|POST)[^ ]*(?: HEAD])? && /outbox(\\S*)\\)");
    private static final String REASON = "&operator=ann&reason=a+test";

    /** Parameters of the pages that need some. */
    private static final Map<String, String> PARAMETERS = Map.ofEntries(
            entry("GET /confirm", "action=pause&subject=handler&name=mail"),
            entry("GET /erase", "type=Order&id=77"),
            entry("GET /failures/group", "handler=mail&errorCode=NonRetryableException"),
            entry("GET /lanes", "type=Order&id=42"),
            entry("GET /search", "aggregateType=Order&aggregateId=42"),
            entry("GET /replays/preview", "handler=mail&rate=5"),
            entry("POST /pause", "subject=handler&name=push"),
            entry("POST /resume", "subject=handler&name=push"),
            entry("POST /expire", "subject=subscription&name=push&eventType=Order"),
            entry("POST /erase", "type=Order&id=77&undelivered=KEEP"),
            entry("POST /deliveries/retry", "handler=push&type=Order&id=42"),
            entry("POST /deliveries/skip", "handler=push&type=Order&id=42"),
            entry("POST /failures/bulk", "handler=push&action=retry&rate=5"),
            entry("POST /replays", "handler=push&rate=5"),
            entry("POST /replays/{id}/cancel", "replay=1"),
            entry("POST /scheduled/deliver", "event=6d1f0c4e-8d53-4f0e-9d58-5c6c7a1f0001"),
            entry("POST /scheduled/cancel", "event=6d1f0c4e-8d53-4f0e-9d58-5c6c7a1f0001"));

    /** Pages that need no more than the last state. */
    private static final Set<String> WITH_STATE = Set.of(
            "GET /", "GET ", "GET /confirm", "GET /failures", "GET /overview/live", "GET /replays/new", "GET /tables");

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private final URI server = URI.create(database.jdbcUrl().substring("jdbc:".length()));
    private final TcpProxy network = TcpProxy.to(server.getHost(), server.getPort());
    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    private final Map<String, HttpRequest> requests = new TreeMap<>();
    private ConfigurableApplicationContext application;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.csrf(AbstractHttpConfigurer::disable).build();
        }

        @Bean
        HandlerDefinition mail() {
            return HandlerDefinition.of("mail", Set.of("Order"), (event) -> {
                throw new NonRetryableException("no such address");
            });
        }

        @Bean
        HandlerDefinition push() {
            return HandlerDefinition.of("push", Set.of("Order"), (event) -> {});
        }
    }

    record Order(String text) {}

    enum Fault {
        REFUSES(TcpProxy::refuse),
        SWALLOWS(TcpProxy::blackHole),
        IS_SLOW((network) -> network.delay(Duration.ofMillis(400))),
        IS_VERY_SLOW((network) -> network.delay(Duration.ofMillis(800)));

        private final Consumer<TcpProxy> begin;

        Fault(Consumer<TcpProxy> begin) {
            this.begin = begin;
        }
    }

    /** Answer, with the time that it took. */
    private record Answer(int status, String body, Duration time) {}

    @BeforeAll
    void start() throws Exception {
        application = new SpringApplicationBuilder(Application.class)
                .run(
                        "--server.port=0",
                        "--spring.datasource.url=jdbc:postgresql://localhost:" + network.port() + server.getPath(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--outbox.console.enabled=true",
                        "--outbox.console.insecure=true");
        OutboxPublisher publisher = application.getBean(OutboxPublisher.class);
        EventEnvelope event = application
                .getBean(TransactionTemplate.class)
                .execute((status) -> publisher.publish("Order", "42", new Order("a book")));
        OutboxOperations operations = application.getBean(OutboxOperations.class);
        await().until(() ->
                !operations.find(DeliverySelection.all().ofHandler("mail"), 1).isEmpty());
        operations.retry(DeliverySelection.all().ofHandler("mail"), "ann", "a test");
        String command = Long.toString(
                operations.commands(OperationSelection.all(), 1).get(0).id());
        long replay =
                application.getBean(Replays.class).retry(DeliverySelection.all().ofHandler("mail"), 5, "ann", "a test");
        String routes =
                application.getBean("outboxConsole", RouterFunction.class).toString();
        ROUTE.matcher(routes)
                .results()
                .filter((route) -> !route.group(2).startsWith("/assets/"))
                .forEach((route) -> {
                    String page = route.group(1) + " " + route.group(2);
                    String id = page.contains("/events/")
                            ? event.eventId().toString()
                            : page.contains("/operations/") ? command : Long.toString(replay);
                    requests.put(page, request(page, id));
                });
        assertThat(requests).containsKeys("GET ", "GET /failures/group", "POST /pause", "POST /scheduled/cancel");
        await().untilAsserted(() -> assertThat(sendAll())
                .allSatisfy((page, answer) -> assertThat(answer.status())
                        .as("%s may need parameters: %s", page, answer.body())
                        .isIn(page.startsWith("GET") ? Set.of(200, 303) : Set.of(303, 400))));
    }

    @AfterEach
    void heal() {
        network.heal();
        await().atMost(Duration.ofMinutes(1))
                .until(() -> sendAll().values().stream().noneMatch((answer) -> answer.status() == 503));
    }

    @AfterAll
    void stop() {
        clients.shutdown();
        application.close();
        network.close();
        database.close();
    }

    @ParameterizedTest
    @EnumSource
    void everyPageIsAnsweredWithinTwoSeconds(Fault fault) throws Exception {
        fault.begin.accept(network);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> send(requests.get("GET ")).body().contains("As of"));

        Map<String, Answer> answers = sendAll();
        for (Map.Entry<String, Answer> answer : answers.entrySet()) {
            if (answer.getValue().time().compareTo(LONGEST) >= 0) {
                // The machine was busy with the others.
                answer.setValue(send(requests.get(answer.getKey())));
            }
        }

        assertThat(answers).allSatisfy((page, answer) -> {
            assertThat(answer.time()).isLessThan(LONGEST);
            assertThat(answer.status())
                    .as(answer.body())
                    .isIn(WITH_STATE.contains(page) ? Set.of(200, 303) : Set.of(200, 303, 400, 503));
            assertThat(answer.body()).doesNotContain("The page failed");
        });
        if (fault == Fault.REFUSES || fault == Fault.SWALLOWS) {
            assertThat(answers.get("POST /pause").body())
                    .contains("Nothing was changed: the database does not answer.");
            assertThat(answers.get("GET /tables").body()).contains("events.outbox_published", "As of");
        }
    }

    /** Sends all requests, as many at a time as there are clients. */
    private Map<String, Answer> sendAll() throws Exception {
        List<Callable<Answer>> work = new ArrayList<>();
        requests.values().forEach((request) -> work.add(() -> send(request)));
        List<Future<Answer>> sent = clients.invokeAll(work);
        Map<String, Answer> answers = new TreeMap<>();
        for (String page : requests.keySet()) {
            answers.put(page, sent.get(answers.size()).get());
        }
        return answers;
    }

    private Answer send(HttpRequest request) throws Exception {
        long begun = System.nanoTime();
        HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
        return new Answer(answer.statusCode(), answer.body(), Duration.ofNanos(System.nanoTime() - begun));
    }

    private HttpRequest request(String page, String id) {
        String parameters = PARAMETERS.getOrDefault(page, "");
        String address = "http://localhost:" + application.getEnvironment().getProperty("local.server.port") + "/outbox"
                + page.substring(page.indexOf(' ') + 1).replace("{id}", id);
        return page.startsWith("GET")
                ? HttpRequest.newBuilder(URI.create(address + "?" + parameters)).build()
                : HttpRequest.newBuilder(URI.create(address))
                        .header("Sec-Fetch-Site", "same-origin")
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(BodyPublishers.ofString(parameters + REASON))
                        .build();
    }
}
