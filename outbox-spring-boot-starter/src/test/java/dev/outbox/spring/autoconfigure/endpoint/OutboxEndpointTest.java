package dev.outbox.spring.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.FreshGauges;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.TestDatabase;
import java.net.URI;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.dao.DataAccessResourceFailureException;

class OutboxEndpointTest {

    private static final Duration LONGEST = Duration.ofSeconds(2);

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
        Principal user = mock(Principal.class);
        when(user.getName()).thenReturn("eve");
        SecurityContext security = mock(SecurityContext.class);
        when(security.getPrincipal()).thenReturn(user);
        when(operations.pauseStream("mail", "eve", "a test")).thenReturn(true);

        assertThat(pause(endpoint(false), security).getBody()).asString().contains("true");
    }

    @Test
    void failureOfTheDatabaseIsAnswered() {
        when(inspector.overview()).thenThrow(new DataAccessResourceFailureException("refused"));
        when(operations.pauseStream(any(), any(), any())).thenThrow(new DataAccessResourceFailureException("refused"));

        assertThat(endpoint(true).overview().getStatus()).isEqualTo(503);
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

    @Test
    void frozenDatabaseIsAnsweredWithinTwoSeconds() {
        try (TestDatabase database = Applications.database()) {
            URI address = URI.create(database.jdbcUrl().substring("jdbc:".length()));
            try (TcpProxy network = TcpProxy.to(address.getHost(), address.getPort())) {
                Applications.on(database)
                        .withUserConfiguration(FreshGauges.class)
                        .withPropertyValues(
                                "spring.datasource.url=jdbc:postgresql://localhost:" + network.port()
                                        + address.getPath(),
                                "outbox.migrate=false")
                        .run((context) -> {
                            OutboxEndpoint endpoint = new OutboxEndpoint(
                                    new EndpointReads(
                                            context.getBean(OutboxInspector.class),
                                            context.getBean(OutboxOperations.class),
                                            context.getBean(Replays.class),
                                            context.getBean(ScheduledEvents.class),
                                            true),
                                    new EndpointWrites(operations, mock(Replays.class), scheduled),
                                    false);
                            HealthIndicator health = context.getBean(HealthIndicator.class);
                            assertThat(endpoint.overview().getStatus()).isEqualTo(200);
                            network.blackHole();

                            assertThat(answersInTime(List.of(
                                            () -> endpoint.overview().getStatus(),
                                            () -> find(endpoint, "deliveries").getStatus(),
                                            () -> endpoint.get(
                                                            "events",
                                                            UUID.randomUUID().toString())
                                                    .getStatus(),
                                            () -> health.health().getStatus())))
                                    .containsExactly(503, 503, 503, Status.DOWN);
                            network.heal();
                        });
            }
        }
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
                                        .overview()
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
                allowAnonymousWrites);
    }

    private static WebEndpointResponse<Object> pause(OutboxEndpoint endpoint, SecurityContext security) {
        return endpoint.perform(
                security, "pause", null, null, "mail", null, null, null, null, null, null, "a test", "ann");
    }

    private static WebEndpointResponse<Object> find(OutboxEndpoint endpoint, String part) {
        return endpoint.find(part, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
    }
}
