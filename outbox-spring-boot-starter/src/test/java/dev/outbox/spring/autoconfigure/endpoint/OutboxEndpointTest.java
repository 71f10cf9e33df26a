package dev.outbox.spring.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.verifyNoMoreInteractions;
import static org.mockito.Mockito.when;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.FreshGauges;
import dev.outbox.spring.internal.Rights;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.TestDatabase;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.security.authentication.TestingAuthenticationToken;

class OutboxEndpointTest {

    private static final Duration LONGEST = Duration.ofSeconds(2);

    private static final Rights RIGHTS = new Rights("readers", "ops", "dpo");

    private final OutboxInspector inspector = mock(OutboxInspector.class);
    private final OutboxOperations operations = mock(OutboxOperations.class);
    private final ScheduledEvents scheduled = mock(ScheduledEvents.class);

    @Test
    void anonymousCommandIsRefused() {
        WebEndpointResponse<Object> answer = pause(endpoint(false), SecurityContext.NONE);

        assertThat(answer.getStatus()).isEqualTo(403);
        assertThat(answer.getBody()).asString().contains("outbox.endpoint.allow-anonymous-writes");
        verifyNoInteractions(operations);
    }

    @Test
    void anonymousCommandIsPerformedIfItIsAllowed() {
        when(operations.pauseStream("mail", "ann", "a test")).thenReturn(true);

        assertThat(pause(endpoint(true), SecurityContext.NONE).getStatus()).isEqualTo(200);
    }

    @Test
    void commandOfAuthenticatedUserHasItsName() {
        when(operations.pauseStream("mail", "eve", "a test")).thenReturn(true);

        assertThat(pause(endpoint(false), signedIn("eve", "ops")).getBody())
                .asString()
                .contains("true");
    }

    @ParameterizedTest
    @CsvSource({
        "readers, true, false, false",
        "ops, true, true, false",
        "dpo, true, false, true",
        "ROLE_CUSTOMER, false, false, false"
    })
    void authoritiesDecideWhatUsersMayDo(String authority, boolean look, boolean command, boolean erase) {
        for (boolean anonymous : List.of(false, true)) {
            OutboxEndpoint endpoint = endpoint(anonymous);
            SecurityContext eve = signedIn("eve", authority);

            assertThat(List.of(
                            isAllowed(endpoint.overview(eve)),
                            isAllowed(endpoint.find(
                                    eve,
                                    "failures",
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    null)),
                            isAllowed(endpoint.get(eve, "replays", "1"))))
                    .containsOnly(look);
            for (String one :
                    List.of("retry", "skip", "pause", "resume", "resumeInbox", "replay", "cancel", "deliver")) {
                assertThat(isAllowed(perform(endpoint, eve, one))).as(one).isEqualTo(command);
            }
            for (String one : List.of("erase", "expire")) {
                assertThat(isAllowed(perform(endpoint, eve, one))).as(one).isEqualTo(erase);
            }
        }
    }

    @Test
    void expiryOfASubscriptionLeavesTheHandler() {
        endpoint(true)
                .perform(
                        SecurityContext.NONE,
                        "expire",
                        null,
                        "mail",
                        null,
                        null,
                        null,
                        "OrderPaid",
                        null,
                        null,
                        null,
                        null,
                        "a test",
                        "ann");

        verify(operations).expireSubscription("mail", "OrderPaid", "ann", "a test");
        verifyNoMoreInteractions(operations);
    }

    @Test
    void refusalNamesAuthorityAndProperty() {
        assertThat(perform(endpoint(false), signedIn("eve", "ops"), "erase").getBody())
                .asString()
                .contains("eve lacks the authority dpo", "outbox.authorities");
    }

    /** A user whom the container knows has no authorities of Spring Security. */
    @Test
    void userWithoutAuthoritiesIsRefused() {
        SecurityContext security = mock(SecurityContext.class);
        when(security.getPrincipal()).thenReturn(() -> "eve");

        assertThat(pause(endpoint(true), security).getStatus()).isEqualTo(403);
    }

    private static boolean isAllowed(WebEndpointResponse<Object> answer) {
        return answer.getStatus() != 403;
    }

    private static SecurityContext signedIn(String name, String authority) {
        SecurityContext security = mock(SecurityContext.class);
        when(security.getPrincipal()).thenReturn(new TestingAuthenticationToken(name, "", authority));
        return security;
    }

    @Test
    void failureOfTheDatabaseIsAnswered() {
        when(inspector.overview()).thenThrow(new DataAccessResourceFailureException("refused"));
        when(operations.pauseStream(any(), any(), any())).thenThrow(new DataAccessResourceFailureException("refused"));

        assertThat(endpoint(true).overview(SecurityContext.NONE).getStatus()).isEqualTo(503);
        assertThat(pause(endpoint(true), SecurityContext.NONE).getStatus()).isEqualTo(503);
    }

    @Test
    void missingPrivilegeIsAnsweredWithItsRemedy() {
        when(operations.pauseStream(any(), any(), any()))
                .thenThrow(new OutboxConfigurationException("permission denied", "grant it", null));

        WebEndpointResponse<Object> answer = pause(endpoint(true), SecurityContext.NONE);

        assertThat(answer.getStatus()).isEqualTo(503);
        assertThat(answer.getBody()).asString().contains("permission denied", "grant it");
    }

    enum Fault {
        REFUSES(TcpProxy::refuse),
        SWALLOWS(TcpProxy::blackHole),
        IS_SLOW((network) -> network.delay(Duration.ofMillis(400))),
        IS_VERY_SLOW((network) -> network.delay(Duration.ofMillis(800)));

        private final Consumer<TcpProxy> begin;

        Fault(Consumer<TcpProxy> begin) {
            this.begin = begin;
        }

        boolean isAway() {
            return this == REFUSES || this == SWALLOWS;
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyRequestIsAnsweredWithinTwoSeconds(Fault fault) {
        try (TestDatabase database = Applications.database()) {
            URI address = URI.create(database.jdbcUrl().substring("jdbc:".length()));
            try (TcpProxy network = TcpProxy.to(address.getHost(), address.getPort())) {
                Applications.on(database)
                        .withUserConfiguration(FreshGauges.class)
                        .withConfiguration(AutoConfigurations.of(OutboxEndpointAutoConfiguration.class))
                        .withPropertyValues(
                                "spring.datasource.url=jdbc:postgresql://localhost:" + network.port()
                                        + address.getPath(),
                                "outbox.migrate=false",
                                "outbox.poller.enabled=true",
                                "outbox.endpoint.allow-anonymous-writes=true",
                                "management.endpoints.web.exposure.include=outbox")
                        .run((context) -> {
                            OutboxEndpoint endpoint = context.getBean(OutboxEndpoint.class);
                            HealthIndicator health = context.getBean(HealthIndicator.class);
                            await().until(() -> perform(endpoint, "pause").getStatus() == 200);
                            assertThat(perform(endpoint, "resume").getStatus()).isEqualTo(200);
                            assertThat(endpoint.overview(SecurityContext.NONE).getStatus())
                                    .isEqualTo(200);
                            fault.begin.accept(network);

                            List<Object> answers = answersInTime(requests(endpoint, health));

                            assertThat(answers)
                                    .allMatch((answer) -> Set.<Object>of(200, 400, 404, 503, Status.UP, Status.DOWN)
                                            .contains(answer));
                            assertThat(answers).startsWith(200);
                            if (fault.isAway()) {
                                assertThat(answers.subList(1, answers.size() - 1))
                                        .containsOnly(503);
                                assertThat(answers).endsWith(Status.DOWN);
                                assertThat(perform(endpoint, "pause").getBody())
                                        .asString()
                                        .contains("nothing was changed");
                                network.heal();
                                await().until(() -> find(endpoint, "deliveries").getStatus() == 200);
                                assertThat(perform(endpoint, "resume").getBody())
                                        .asString()
                                        .contains("false");
                            }
                            network.heal();
                        });
            }
        }
    }

    /** Returns every kind of request, the overview first and the health last. */
    private static List<Callable<Object>> requests(OutboxEndpoint endpoint, HealthIndicator health) {
        List<Callable<Object>> requests = new ArrayList<>();
        requests.add(() -> endpoint.overview(SecurityContext.NONE).getStatus());
        for (String part : List.of("deliveries", "failures", "events", "operations", "replays", "scheduled")) {
            requests.add(() -> find(endpoint, part).getStatus());
        }
        requests.add(() -> endpoint.get(
                        SecurityContext.NONE, "events", UUID.randomUUID().toString())
                .getStatus());
        requests.add(() -> endpoint.get(SecurityContext.NONE, "replays", "1").getStatus());
        for (String command : List.of("retry", "skip", "pause", "expire", "replay", "cancel", "erase", "deliver")) {
            requests.add(() -> perform(endpoint, command).getStatus());
        }
        requests.add(() -> health.health().getStatus());
        return requests;
    }

    private static WebEndpointResponse<Object> perform(OutboxEndpoint endpoint, String command) {
        String event = UUID.randomUUID().toString();
        boolean ofStream = Set.of("pause", "resume").contains(command);
        return endpoint.perform(
                SecurityContext.NONE,
                command,
                switch (command) {
                    case "retry", "skip", "replay" -> "handler=mail";
                    case "erase" -> "event=" + event;
                    default -> null;
                },
                command.equals("expire") ? "mail" : null,
                ofStream ? "default" : null,
                command.equals("cancel") ? "1" : null,
                command.equals("deliver") ? event : null,
                null,
                null,
                null,
                null,
                null,
                "a test",
                "ann");
    }

    @Test
    void threadsEndTogetherWithTheContext() {
        try (TestDatabase database = Applications.database()) {
            Set<Thread> before = Thread.getAllStackTraces().keySet();
            Applications.on(database)
                    .withConfiguration(AutoConfigurations.of(OutboxEndpointAutoConfiguration.class))
                    .withPropertyValues("management.endpoints.web.exposure.include=outbox")
                    .run((context) -> {
                        assertThat(context.getBean(OutboxEndpoint.class)
                                        .overview(SecurityContext.NONE)
                                        .getStatus())
                                .isEqualTo(200);
                        assertThat(ofEndpoint(before)).isNotEmpty();
                    });

            await().atMost(LONGEST).until(() -> ofEndpoint(before).isEmpty());
        }
    }

    private static List<Thread> ofEndpoint(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter((thread) -> thread.getName().equals("outbox-endpoint") && !before.contains(thread))
                .toList();
    }

    /** Sends all requests at the same time, and returns their answers. */
    private static List<Object> answersInTime(List<Callable<Object>> requests) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(requests.size());
        try {
            long begun = System.nanoTime();
            List<Object> answers = new ArrayList<>();
            for (Future<Object> answer : clients.invokeAll(requests)) {
                answers.add(answer.get());
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONGEST);
            return answers;
        } finally {
            clients.shutdown();
        }
    }

    private OutboxEndpoint endpoint(boolean allowAnonymousWrites) {
        Replays replays = mock(Replays.class);
        return new OutboxEndpoint(
                new EndpointReads(inspector, operations, replays, scheduled, false),
                new EndpointWrites(operations, replays, scheduled),
                RIGHTS,
                allowAnonymousWrites);
    }

    private static WebEndpointResponse<Object> pause(OutboxEndpoint endpoint, SecurityContext security) {
        return endpoint.perform(
                security, "pause", null, null, "mail", null, null, null, null, null, null, null, "a test", "ann");
    }

    private static WebEndpointResponse<Object> perform(
            OutboxEndpoint endpoint, SecurityContext security, String command) {
        return endpoint.perform(
                security, command, null, null, null, null, null, null, null, null, null, null, "a test", null);
    }

    private static WebEndpointResponse<Object> find(OutboxEndpoint endpoint, String part) {
        return endpoint.find(
                SecurityContext.NONE,
                part,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }
}
