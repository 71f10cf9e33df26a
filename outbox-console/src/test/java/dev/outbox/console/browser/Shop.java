package dev.outbox.console.browser;

import dev.outbox.EventEnvelope;
import dev.outbox.OnDead;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.support.TransactionTemplate;

/** Application with a console below a context path, and handlers that fail for chosen aggregates. */
final class Shop implements AutoCloseable {

    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final Map<String, String> FAULTS = new ConcurrentHashMap<>();
    private static final AtomicBoolean ASKS_FOR_LOGIN = new AtomicBoolean();

    /** Ends a call of the handler of parcels before the carrier does. */
    private static final Semaphore ANSWERS = new Semaphore(0);

    private static volatile Duration carrierTakes = Duration.ZERO;

    final TestDatabase database = TestPostgres.shared().newDatabase();
    final TcpProxy network;
    private final List<String> properties;
    private final ConfigurableApplicationContext application;

    record OrderPlaced(String text) {}

    record PushSent(String text) {}

    record ParcelSent(String text) {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        /** Permits everything, unless a test asks for a login: the console has to refuse by itself. */
        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests((requests) -> requests.requestMatchers((request) -> ASKS_FOR_LOGIN.get()
                                    && request.getRequestURI().startsWith("/shop/outbox"))
                            .authenticated()
                            .anyRequest()
                            .permitAll())
                    .formLogin(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    user("ann", "OUTBOX_OPERATOR", "OUTBOX_ERASER"),
                    user("bob", "OUTBOX_OPERATOR"),
                    user("dan", "OUTBOX_ERASER"),
                    user("eve"),
                    user("viv", "OUTBOX_VIEWER"));
        }

        private static UserDetails user(String name, String... roles) {
            return User.withUsername(name).password("{noop}secret").roles(roles).build();
        }

        @Bean
        Handlers handlers() {
            return new Handlers();
        }
    }

    static final class Handlers {

        @OutboxHandler(id = "mail", eventTypes = "OrderPlaced")
        void mail(EventEnvelope event) {
            failIfAsked("mail", event);
        }

        @OutboxHandler(id = "billing.ledger", eventTypes = "OrderPlaced", onDead = OnDead.BLOCK)
        void book(EventEnvelope event) {
            failIfAsked("billing.ledger", event);
        }

        @OutboxHandler(id = "push", eventTypes = "PushSent")
        void push(EventEnvelope event) {
            failIfAsked("push", event);
        }

        @OutboxHandler(id = "parcel", eventTypes = "ParcelSent")
        void send(EventEnvelope event) throws InterruptedException {
            boolean unused = ANSWERS.tryAcquire(carrierTakes.toMillis(), TimeUnit.MILLISECONDS);
        }

        private static void failIfAsked(String handler, EventEnvelope event) {
            String message = FAULTS.getOrDefault(handler + "/" + event.aggregateId(), FAULTS.get(handler));
            if (message != null) {
                throw new IllegalStateException(message);
            }
        }
    }

    Shop() {
        URI server = URI.create(database.jdbcUrl().substring("jdbc:".length()));
        network = TcpProxy.to(server.getHost(), server.getPort());
        properties = List.of(
                "--server.port=0",
                "--server.servlet.context-path=/shop",
                "--spring.application.name=shop",
                "--spring.datasource.username=" + database.username(),
                "--spring.datasource.password=" + database.password(),
                "--outbox.poller.interval=100ms",
                "--outbox.streams.parcels.aggregate-types=Parcel",
                "--outbox.streams.parcels.lease=5s",
                "--outbox.handlers[push].retry.max-attempts=1",
                "--outbox.handlers[billing.ledger].retry.max-attempts=1",
                "--outbox.console.enabled=true",
                "--outbox.console.show-payloads=true");
        application =
                start(and("--spring.datasource.url=jdbc:postgresql://localhost:" + network.port() + server.getPath()));
    }

    /** Runs one more instance. */
    public static void main(String... arguments) {
        start(arguments);
    }

    private static ConfigurableApplicationContext start(String... arguments) {
        return new SpringApplicationBuilder(Application.class).run(arguments);
    }

    private String[] and(String... more) {
        return Stream.concat(properties.stream(), Stream.of(more)).toArray(String[]::new);
    }

    /** Instance in a process of its own. */
    record Instance(Process process) implements AutoCloseable {

        /** The part of its name that no other instance has. */
        String id() {
            return ":" + process.pid() + ":";
        }

        /** Keeps it from running, as a virtual machine that is moved. */
        void suspend() throws IOException {
            signal("STOP");
        }

        @Override
        public void close() throws IOException {
            signal("CONT");
            process.destroy();
            process.onExit().join();
        }

        private void signal(String name) throws IOException {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .onExit()
                    .join();
        }
    }

    Instance startInstance() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Shop.class.getName()));
        command.addAll(List.of(and("--spring.datasource.url=" + database.jdbcUrl())));
        return new Instance(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Path.of("target", "other-instance.log").toFile())
                .start());
    }

    /** Forgets the faults and deliveries of earlier tests, also those whose calls still run and fail afterwards. */
    void startOver() {
        FAULTS.clear();
        ASKS_FOR_LOGIN.set(false);
        Awaitility.await().atMost(DEADLINE).until(() -> {
            slowDown(Duration.ZERO);
            for (String handler : List.of("mail", "billing.ledger", "push")) {
                operations().resumeHandler(handler, "test", "start over");
                operations().skip(DeliverySelection.all().ofHandler(handler), "test", "start over");
            }
            return isIdle();
        });
    }

    private boolean isIdle() {
        return application.getBean(OutboxInspector.class).overview().streams().stream()
                .map(OutboxOverview.Stream::backlog)
                .flatMap((backlog) ->
                        Stream.of(backlog.pending(), backlog.processing(), backlog.retrying(), backlog.dead()))
                .allMatch((count) -> count.value() == 0);
    }

    String address() {
        return "http://localhost:" + application.getEnvironment().getProperty("local.server.port") + "/shop";
    }

    /** Makes a handler fail, for one aggregate or with an empty id for all. */
    void fail(String handler, String aggregateId, String message) {
        FAULTS.put(aggregateId.isEmpty() ? handler : handler + "/" + aggregateId, message);
    }

    /** Leads requests without a user to the login page, as most applications do. */
    void askForLogin() {
        ASKS_FOR_LOGIN.set(true);
    }

    void correct(String handler, String aggregateId) {
        FAULTS.remove(aggregateId.isEmpty() ? handler : handler + "/" + aggregateId);
    }

    /** Makes each call of the handler of parcels take so long, from the next one on; one that waits ends. */
    void slowDown(Duration each) {
        carrierTakes = each;
        ANSWERS.drainPermits();
        ANSWERS.release(ANSWERS.getQueueLength());
    }

    /** Publishes events in one transaction. */
    List<UUID> publish(OutboxEvent... events) {
        OutboxPublisher publisher = application.getBean(OutboxPublisher.class);
        return application
                .getBean(TransactionTemplate.class)
                .execute((status) -> publisher.publishAll(List.of(events)).stream()
                        .map(EventEnvelope::eventId)
                        .toList());
    }

    OutboxOperations operations() {
        return application.getBean(OutboxOperations.class);
    }

    /** Waits until a number of deliveries has a status. */
    void await(DeliverySelection selection, DeliveryStatus status, long count) {
        Awaitility.await()
                .atMost(DEADLINE)
                .until(() -> operations().count(selection.withStatus(status)).value(), (found) -> found == count);
    }

    /** Starts a replay to a handler, and returns its id. */
    long replay(String handlerId) {
        return replay(ReplayRequest.of(handlerId));
    }

    long replay(ReplayRequest request) {
        return application.getBean(Replays.class).start(request, "test", "again");
    }

    /** Starts to retry deliveries in the background, and returns its id. */
    long retry(DeliverySelection selection) {
        return application.getBean(Replays.class).retry(selection, 1, "test", "again");
    }

    List<Delivery> find(DeliverySelection selection) {
        return operations().find(selection, 100);
    }

    @Override
    public void close() {
        application.close();
        network.close();
        database.close();
    }
}
