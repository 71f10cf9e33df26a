package dev.outbox.crash;

import static dev.outbox.crash.Recovery.FAST;
import static dev.outbox.crash.Recovery.eventually;
import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.crash.Recovery.Crash;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.testing.CrashingPostgres;
import dev.outbox.testing.Guarantee;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no SIGQUIT")
@Tag("full")
class LostClaimTest {

    /** The crash forgets the claim, and PostgreSQL gives its id to the claim of the new owner. */
    @ParameterizedTest
    @EnumSource
    @Guarantee(
            value = "G5",
            sentence = "The fence holds for a claim that PostgreSQL lost and whose id a new claim reuses.")
    void lateWorkerLeavesNewOwnersClaimAlone(Crash crash) {
        CountDownLatch lateBegan = new CountDownLatch(1);
        CountDownLatch lateMayEnd = new CountDownLatch(1);
        CountDownLatch lateLost = new CountDownLatch(1);
        CountDownLatch ownerBegan = new CountDownLatch(1);
        CountDownLatch ownerMayEnd = new CountDownLatch(1);
        Recorded late = Recorded.all();
        Recorded owner = Recorded.all();
        try (CrashingPostgres server = CrashingPostgres.create();
                TestOutbox first = TestOutbox.create(server.postgres());
                TestOutbox second = first.another()) {
            first
                    .handler("any", "*", (envelope) -> {
                        lateBegan.countDown();
                        awaitLatch(lateMayEnd);
                        late.handle(envelope);
                    })
                    .onLostLease(lateLost::countDown)
                    .stream("default", FAST)
                    .start();
            first.inTransaction(() -> List.of(
                    first.publisher().publish("order", "1", new OrderPlaced(1)),
                    first.publisher().publish("order", "1", new OrderPlaced(2))));
            awaitLatch(lateBegan);

            crash.happenTo(server);
            second
                    .handler("any", "*", (envelope) -> {
                        ownerBegan.countDown();
                        awaitLatch(ownerMayEnd);
                        owner.handle(envelope);
                    })
                    .stream("default", FAST)
                    .start();
            awaitLatch(ownerBegan);
            lateMayEnd.countDown();

            eventually().until(() -> lateLost.getCount() == 0 || late.handled().size() > 1);
            assertThat(late.sequences())
                    .as("the late worker starts nothing beside the new owner")
                    .containsEntry("1", List.of(1L));
            assertThat(first.claims()).as("the new owner's claim").isEqualTo(1);
            assertThat(first.unpublished()).as("unsettled events").isEqualTo(2);

            ownerMayEnd.countDown();
            eventually().until(() -> first.published() == 2);
            assertThat(owner.sequences()).containsEntry("1", List.of(1L, 2L));
        }
    }

    @Test
    void claimThatSurvivedTheCrashIsVoid() throws SQLException {
        try (CrashingPostgres server = CrashingPostgres.create();
                TestOutbox outbox = TestOutbox.create(server.postgres())) {
            outbox.addStream("default");
            outbox.publish("1", new OrderPlaced(1));
            ClaimSteps claims = new ClaimSteps(outbox);
            ClaimSteps.Found claim = claims.claim(10, ActiveHandlers.ofAllTypes());
            // Flushes the claim to the disk.
            outbox.publish("2", new OrderPlaced(1));

            Crash.SERVER.happenTo(server);

            eventually().until(() -> outbox.claims() == 1);
            // The pool replaces its broken connections one by one.
            eventually()
                    .untilAsserted(() ->
                            assertThat(claims.confirm(claim)).as("confirmed").isFalse());
            eventually()
                    .untilAsserted(
                            () -> assertThat(claims.renew(claim)).as("renewed").isFalse());
            eventually()
                    .untilAsserted(
                            () -> assertThat(claims.settle(claim)).as("settled").isFalse());
        }
    }
}
