package dev.outbox.internal.poll;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.fixture.LoggedLines;
import dev.outbox.internal.lease.Lease;
import dev.outbox.internal.lease.LeaseGuard;
import dev.outbox.internal.lease.LeaseRenewer;
import dev.outbox.internal.lease.Moment;
import dev.outbox.internal.sql.BoundConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/** The loop with work that needs no database. */
class BatchLoopTest {

    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(BatchLoop.class);

    private final AtomicInteger renewed = new AtomicInteger();
    private volatile long nanos;
    private boolean async;
    private final LeaseRenewer leases =
            new LeaseRenewer(LEASE, new SimpleDriverDataSource(), () -> new Moment(nanos, 0));
    private final FakeSource source = new FakeSource();

    @Test
    void isolatesOutcomesWhoseSettlementThrows() throws SQLException {
        source.failure = () -> {
            throw new ArithmeticException("long overflow");
        };
        BatchLoop<FakeBatch, String> loop = new BatchLoop<>("test", source, null, () -> {});

        assertThatThrownBy(() -> loop.runOnce(() -> false)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> loop.runOnce(() -> false)).isInstanceOf(ArithmeticException.class);
        loop.runOnce(() -> true);

        assertThat(source.settled).containsExactly("batch 1 ISOLATED");
        assertThat(loop.isBusy()).isFalse();
        assertThat(heldLeases()).isZero();
    }

    /** A batch that takes too long may end one by one; nothing becomes a dead letter, because the server may be slow. */
    @Test
    void isolatesOutcomesWhoseSettlementTakesTooLong() throws SQLException {
        AtomicInteger settlements = new AtomicInteger();
        source.failure = () -> {
            if (settlements.incrementAndGet() <= 3) {
                throw new SQLException("canceling statement due to statement timeout", "57014");
            }
        };
        BatchLoop<FakeBatch, String> loop = new BatchLoop<>("test", source, null, () -> {});

        assertThatThrownBy(() -> loop.runOnce(() -> false)).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> loop.runOnce(() -> false)).isInstanceOf(SQLException.class);
        loop.runOnce(() -> false);

        assertThat(source.settled).contains("batch 1 ISOLATED");
    }

    @Test
    void settlementThatNeverReturnsDelaysNoOtherBatch() throws SQLException {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger settlements = new AtomicInteger();
        async = true;
        source.failure = () -> {
            if (settlements.incrementAndGet() == 1) {
                awaitUninterruptibly(never);
            }
        };
        try {
            BatchLoop<FakeBatch, String> loop = BatchLoop.prefetching("test", source, LEASE, () -> {});
            loop.runOnce(() -> false);
            nanos += LEASE.plusSeconds(1).toNanos();
            loop.runOnce(() -> false);
            loop.finish();

            assertThat(source.settled).containsExactly("batch 2 BATCH");
            assertThat(loop.isBusy()).isFalse();
            assertThat(heldLeases()).isZero();
        } finally {
            never.countDown();
        }
        assertThat(log.messages()).singleElement().asString().contains("did not return before its lease ended");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"08006", "25006", "40P01", "42501", "53300", "57P01"})
    void environmentIsNoReasonToIsolate(String state) {
        source.failure = () -> {
            throw new SQLException("environment", state);
        };
        BatchLoop<FakeBatch, String> loop = new BatchLoop<>("test", source, null, () -> {});

        for (int round = 0; round < 10; round++) {
            assertThatThrownBy(() -> loop.runOnce(() -> false)).isInstanceOf(SQLException.class);
        }
        assertThat(source.settled).isEmpty();
        assertThat(source.claimed).isEqualTo(1);
    }

    @Test
    void settlesOtherBatchesAtTheEndWhenOneFails() throws SQLException {
        source.gate = new CountDownLatch(1);
        WorkerPool workers = new WorkerPool("test", 2, Thread::new);
        BatchLoop<FakeBatch, String> loop = new BatchLoop<>("test", source, workers.share(2), () -> {});
        loop.runOnce(() -> false);
        loop.runOnce(() -> false);
        source.gate.countDown();
        assertThat(workers.endsWithin(Duration.ofMinutes(1))).isTrue();
        AtomicInteger settlements = new AtomicInteger();
        source.failure = () -> {
            if (settlements.incrementAndGet() == 1) {
                throw new SQLException("connection lost", "08006");
            }
        };

        loop.finish();

        assertThat(source.settled).containsExactly("batch 2 BATCH");
        assertThat(loop.isBusy()).isFalse();
        assertThat(heldLeases()).isZero();
    }

    @Test
    void claimsThatHoldUpOthersTakeBoundedMemory() throws SQLException {
        source.characters = 8 << 20;
        BatchLoop<FakeBatch, String> loop = new BatchLoop<>("test", source, null, () -> {});
        for (int round = 0; round < 10; round++) {
            loop.runOnce(() -> false);
        }
        assertThat(source.claimed).isEqualTo(4);
        assertThat(loop.isCrowded()).isTrue();

        source.dispatched.get(0).answer();
        loop.runOnce(() -> false);
        loop.runOnce(() -> false);

        assertThat(source.claimed).isEqualTo(5);
    }

    private int heldLeases() {
        nanos += LEASE.toNanos() / 2;
        try {
            leases.runOnce();
        } catch (Exception ex) {
            throw new AssertionError(ex);
        }
        return renewed.get();
    }

    private interface Failure {
        void happen() throws SQLException;
    }

    private final class FakeBatch extends Batch<String, String> {

        private final String name;
        private final Lease lease = leases.keep(new Renewed(), LEASE, leases.now());

        FakeBatch(String name) {
            super(List.of(new SerialQueue<>(List.of("work"))));
            this.name = name;
        }

        @Override
        public Lease lease() {
            return lease;
        }

        @Override
        public boolean isWorthSettlingAsync() {
            return async;
        }

        @Override
        public long characters() {
            return source.characters;
        }

        @Override
        public Optional<Duration> patience() {
            return Optional.of(LEASE);
        }

        void letAnswerLater() {
            await();
        }

        void answer() {
            add("outcome");
            arrived();
        }
    }

    private final class Renewed implements Lease.Claimed {

        @Override
        public long id() {
            return 1;
        }

        @Override
        public boolean renew() {
            renewed.incrementAndGet();
            return true;
        }

        @Override
        public boolean confirm() {
            return true;
        }

        @Override
        public boolean confirmIn(BoundConnection transaction) {
            return true;
        }

        @Override
        public void release() {}
    }

    private final class FakeSource implements BatchSource<FakeBatch, String> {

        private final List<String> settled = new CopyOnWriteArrayList<>();
        private CountDownLatch gate = new CountDownLatch(0);
        private Failure failure = () -> {};
        private int claimed;
        private final List<FakeBatch> dispatched = new CopyOnWriteArrayList<>();

        /** Of the payloads of each batch, whose outcomes come later then. */
        private long characters;

        @Override
        public Claimed<FakeBatch> claim(boolean nearOnly) {
            claimed++;
            return new Claimed<>(new FakeBatch("batch " + claimed), true, Optional.empty(), Optional.empty());
        }

        @Override
        public void begin(FakeBatch batch) {}

        @Override
        public boolean dispatch(FakeBatch batch, SerialQueue<String> queue, LeaseGuard guard) {
            awaitLatch(gate);
            if (characters > 0) {
                batch.letAnswerLater();
            } else {
                batch.add("outcome");
            }
            dispatched.add(batch);
            queue.advance(1);
            return true;
        }

        @Override
        public Settled settle(FakeBatch batch, boolean last, Mode mode) throws SQLException {
            if (mode != Mode.ISOLATED) {
                failure.happen();
            }
            settled.add(batch.name + " " + mode);
            return Settled.ALL;
        }

        @Override
        public void close() {}
    }
}
