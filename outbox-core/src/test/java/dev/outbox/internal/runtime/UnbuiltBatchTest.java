package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.lease.LeaseRenewer;
import java.io.IOException;
import java.lang.reflect.Field;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory ends between the claim and its batch. */
class UnbuiltBatchTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void claimIsGivenBack(int concurrency) throws SQLException, ReflectiveOperationException {
        Recorded handler = Recorded.all();
        try (Poller poller = poller(handler, concurrency)) {
            runTwice(poller);
            outbox.publish("1", new OrderPlaced(1));
            leasesOf(poller, new FullSet());
            assertThatThrownBy(poller::runOnce).isInstanceOf(OutOfMemoryError.class);

            assertThat(outbox.claims()).isZero();
            leasesOf(poller, ConcurrentHashMap.newKeySet());
            runUntilHandled(poller, handler);
        }
        assertThat(handler.handled()).hasSize(1);
    }

    @Test
    void crashSuspectIsGivenBack() throws SQLException, ReflectiveOperationException {
        Recorded handler = Recorded.failing((attempt) -> attempt.number() == 1 ? new IOException("once") : null);
        try (Poller poller = poller(handler, 1)) {
            outbox.publish("1", new OrderPlaced(1));
            poller.runOnce();
            while (outbox.deliveries() == 0) {
                poller.runOnce();
            }
            outbox.update("UPDATE events.outbox_lane SET crash_count = 2");
            new Lanes(outbox).due();
            leasesOf(poller, new FullSet());
            assertThatThrownBy(poller::runOnce).isInstanceOf(OutOfMemoryError.class);

            leasesOf(poller, ConcurrentHashMap.newKeySet());
            runTwice(poller);
        }
        assertThat(handler.handled()).hasSize(1);
        assertThat(outbox.published()).isEqualTo(1);
    }

    private Poller poller(Recorded handler, int concurrency) throws SQLException {
        return new Poller(
                outbox, HandlerDefinition.of("any", Set.of("*"), handler), FairRoundsTest.IN_AN_HOUR, 10, concurrency);
    }

    /** The first round of a stream registers it, and that after a batch settles it. */
    private static void runTwice(Poller poller) throws SQLException {
        poller.runOnce();
        poller.runOnce();
    }

    /** With a pool, a round does not wait for the handlers that it has started. */
    private static void runUntilHandled(Poller poller, Recorded handler) {
        await().until(() -> {
            poller.runOnce();
            return !handler.handled().isEmpty();
        });
    }

    private static void leasesOf(Poller poller, Set<?> leases) throws ReflectiveOperationException {
        Field field = LeaseRenewer.class.getDeclaredField("leases");
        field.setAccessible(true);
        field.set(poller.leases, leases);
    }

    /** Set that cannot grow. */
    private static final class FullSet extends HashSet<Object> {

        private static final long serialVersionUID = 1L;

        @Override
        public boolean add(Object lease) {
            throw new OutOfMemoryError("on purpose");
        }
    }
}
