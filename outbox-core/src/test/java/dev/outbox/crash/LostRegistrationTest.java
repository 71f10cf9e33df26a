package dev.outbox.crash;

import static dev.outbox.crash.Recovery.eventually;
import static dev.outbox.crash.Recovery.publish;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.crash.Recovery.Crash;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.CrashingPostgres;
import dev.outbox.testing.Guarantee;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no SIGQUIT")
@Tag("full")
class LostRegistrationTest {

    private final Recorded first = Recorded.all();
    private final Recorded second = Recorded.all();

    @Test
    @Guarantee(
            value = "G2",
            sentence = "Handler registrations survive a PostgreSQL crash that loses asynchronous commits.")
    void registrationSurvivesCrash() throws SQLException {
        try (CrashingPostgres server = CrashingPostgres.create();
                TestOutbox outbox = TestOutbox.create(server.postgres())) {
            registerProcessThatIsGone(outbox);

            Crash.SERVER.happenTo(server);

            eventually()
                    .untilAsserted(() -> assertThat(outbox.registeredHandlers())
                            .as("registered handlers")
                            .isEqualTo(1));
        }
    }

    @Test
    @Guarantee(
            value = "G2",
            sentence = "Registrations that a failover to an asynchronous replica loses are written again.")
    void registrationHealsAfterFailover() {
        try (CrashingPostgres server = CrashingPostgres.create();
                TestOutbox a = TestOutbox.create(server.postgres());
                TestOutbox b = a.another()) {
            start(a.handler("a", "*", first));
            publish(a, "1", 1);
            server.addStandby();
            server.stopReplication();
            start(b.handler("b", "*", second));

            server.failOver();

            eventually()
                    .untilAsserted(() -> assertThat(a.registeredHandlers())
                            .as("registered handlers")
                            .isEqualTo(2));
            EventEnvelope event = publish(a, "2", 1);
            awaitPublished(a, event);
            assertThat(second.sequences()).as("handled by b").containsKey("2");
        }
    }

    @Test
    void firstClaimAfterFailoverRestoresRegistrationsOfOthers() throws SQLException {
        try (CrashingPostgres server = CrashingPostgres.create();
                TestOutbox outbox = TestOutbox.create(server.postgres())) {
            start(outbox.handler("a", "*", first));
            publish(outbox, "1", 1);
            server.addStandby();
            server.stopReplication();
            registerProcessThatIsGone(outbox);
            EventEnvelope known = publish(outbox, "2", 1);
            eventually().until(() -> outbox.statusOf(known).equals("RETRYING"));

            server.failOver();

            EventEnvelope event = publish(outbox, "3", 1);
            eventually().until(() -> outbox.statusOf(event).equals("RETRYING"));
        }
    }

    /** A newer version of the handler, whose process ended with the primary, subscribed to one more event type. */
    @Test
    void firstClaimAfterFailoverRestoresEventTypesOfOthers() throws SQLException {
        try (CrashingPostgres server = CrashingPostgres.create();
                TestOutbox outbox = TestOutbox.create(server.postgres())) {
            HandlerStore others = new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT);
            others.register(
                    Map.of("gone", Set.of(Subscription.ofType("Other"))),
                    Map.of("gone", List.of("earlier")),
                    Duration.ofDays(7));
            start(outbox.handler("a", "*", first));
            publish(outbox, "1", 1);
            server.addStandby();
            server.stopReplication();
            others.register(
                    Map.of("gone", Set.of(Subscription.ofType("OrderPlaced"))),
                    Map.of("gone", List.of("earlier")),
                    Duration.ofDays(7));
            EventEnvelope known = publish(outbox, "2", 1);
            eventually().until(() -> outbox.statusOf(known).equals("RETRYING"));

            server.failOver();

            EventEnvelope event = publish(outbox, "3", 1);
            eventually().until(() -> outbox.statusOf(event).equals("RETRYING"));
            assertThat(outbox.value(
                            String.class,
                            "SELECT h.aliases[1] || ' ' || string_agg(s.event_type, ' ' ORDER BY s.event_type)"
                                    + " FROM events.outbox_handler h JOIN events.outbox_subscription s ON s.handler_id = h.id"
                                    + " WHERE h.id = 'gone' GROUP BY h.aliases"))
                    .isEqualTo("earlier OrderPlaced Other");
        }
    }

    @Test
    void heartbeatAfterFailoverRestoresRegistrationsOfOthers() throws SQLException {
        try (CrashingPostgres server = CrashingPostgres.create();
                TestOutbox outbox = TestOutbox.create(server.postgres())) {
            server.addStandby();
            server.stopReplication();
            registerProcessThatIsGone(outbox);
            HandlerRegistry registry = new HandlerRegistry(List::of, outbox.dataSource(), OutboxSchema.DEFAULT);
            registry.register();

            server.failOver();

            eventually().ignoreExceptions().untilAsserted(registry::heartbeat);
            assertThat(registry.hasSubscribers(Subscription.of("OrderPlaced", "order", "default", false)))
                    .isTrue();
        }
    }

    private static void registerProcessThatIsGone(TestOutbox outbox) throws SQLException {
        new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT)
                .register(Map.of("gone", Set.of(Subscription.ofType("*"))), Map.of(), Duration.ofDays(7));
    }

    private static void start(TestOutbox outbox) {
        outbox.poller(Duration.ofMillis(100), 50, Duration.ofSeconds(5)).start();
    }

    private static void awaitPublished(TestOutbox outbox, EventEnvelope event) {
        eventually().until(() -> outbox.statusOf(event).equals("PUBLISHED"));
    }
}
