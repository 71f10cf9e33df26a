package dev.outbox.crash;

import static dev.outbox.crash.Recovery.FAST;
import static dev.outbox.crash.Recovery.eventually;
import static dev.outbox.crash.Recovery.holdingUntil;
import static dev.outbox.crash.Recovery.isLostInACrash;
import static dev.outbox.crash.Recovery.walPosition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.crash.Recovery.Crash;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.CrashingPostgres;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database like Amazon Aurora: its UNLOGGED tables survive a crash that loses asynchronous commits. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no SIGQUIT")
@Tag("full")
class KeptUnloggedTablesTest {

    private final CrashingPostgres server = CrashingPostgres.create();
    private final TestOutbox outbox = TestOutbox.create(server.postgres());
    private final Recorded handled = Recorded.all();

    @BeforeEach
    void keepUnloggedTables() {
        outbox.update("ALTER TABLE events.outbox_incarnation SET LOGGED");
    }

    @AfterEach
    void close() {
        try (server) {
            outbox.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    @Guarantee(value = "G3", sentence = "Order holds where UNLOGGED tables survive a crash, as in Amazon Aurora.")
    void keepsOrderThroughCrash(String synchronousCommit) {
        outbox.update("ALTER DATABASE %s SET synchronous_commit = %s"
                .formatted(outbox.database().name(), synchronousCommit));
        outbox.update(
                "CREATE FUNCTION public.aurora_version() RETURNS text LANGUAGE sql AS $$ SELECT '18.6.0'::text $$");
        CountDownLatch crashed = new CountDownLatch(1);
        outbox.handler("any", "*", holdingUntil(crashed, outbox, handled)).stream("default", FAST.withConcurrency(2))
                .start();
        publish(2);
        await().until(() -> outbox.published() == 1);

        Crash.SERVER.happenTo(server);
        crashed.countDown();

        eventually().atMost(Duration.ofMinutes(1)).until(() -> outbox.unpublished() == 0);
        assertThat(handled.sequences()).containsEntry("1", List.of(1L, 2L));
    }

    /** What the other test would meet without the function that Aurora has. */
    @Test
    void otherServersLoseSettlements() {
        outbox.handler("any", "*", handled).stream("default", FAST).start();
        AtomicInteger published = new AtomicInteger();

        await().until(() -> {
            publish(1);
            published.incrementAndGet();
            await().until(() -> outbox.published() == published.get());
            return isLostInACrash(outbox, walPosition(outbox));
        });
    }

    private void publish(int events) {
        outbox.transactions().executeWithoutResult((status) -> {
            for (int i = 0; i < events; i++) {
                outbox.publisher().publish("order", "1", new OrderPlaced(i));
            }
        });
    }
}
