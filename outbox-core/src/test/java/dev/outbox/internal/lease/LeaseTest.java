package dev.outbox.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.sql.BoundConnection;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

class LeaseTest {

    private static final Duration LIFE = Duration.ofSeconds(60);

    private final Row row = new Row();
    private long nanos = Long.MAX_VALUE - 5;
    private long millis;
    private final LeaseRenewer keeper =
            new LeaseRenewer(LIFE, new SimpleDriverDataSource(), () -> new Moment(nanos, millis));
    private final Lease lease = keeper.keep(row, LIFE, keeper.now());

    /** What the database says. */
    private final class Row implements Lease.Claimed {

        private boolean held = true;
        private boolean away;
        private int confirmations;
        private int renewals;
        private Duration suspension = Duration.ZERO;

        @Override
        public long id() {
            return 1;
        }

        @Override
        public boolean renew() throws IOException {
            renewals++;
            return answer();
        }

        @Override
        public boolean confirm() throws IOException {
            confirmations++;
            return answer();
        }

        @Override
        public boolean confirmIn(BoundConnection transaction) {
            return held;
        }

        @Override
        public void release() {}

        private boolean answer() throws IOException {
            if (away) {
                throw new IOException("away");
            }
            pass(suspension);
            return held;
        }
    }

    @Test
    void freshLeaseIsTrustedWithoutAsking() {
        pass(Lease.TRUSTED_FOR.minusMillis(1));

        assertThat(lease.isHeld()).isTrue();
        assertThat(row.confirmations).isZero();
    }

    @Test
    void oldLeaseIsConfirmedOnce() {
        pass(Lease.TRUSTED_FOR);

        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.isHeld()).isTrue();
        assertThat(row.confirmations).isEqualTo(1);
    }

    @Test
    void confirmationIsNotTrustedBeyondEndOfLease() {
        pass(LIFE.minusMillis(10));
        assertThat(lease.isHeld()).isTrue();
        assertThat(row.renewals).isZero();

        row.held = false;
        pass(Duration.ofMillis(20));
        assertThat(lease.isHeld()).isFalse();
        assertThat(row.confirmations).isEqualTo(2);
    }

    /** By the clock of this process, it was over before its first event. */
    @Test
    void leaseThatTheClaimHasUsedUpIsRenewed() {
        pass(LIFE.plusMillis(1));
        assertThat(lease.isLost()).isTrue();

        assertThat(lease.isHeld()).isTrue();
        assertThat(row.renewals).isEqualTo(1);
        assertThat(lease.remaining()).isEqualTo(LIFE);
    }

    @Test
    void leaseIsNotRenewedForASettlementThatOutlastsIt() {
        lease.settling();
        pass(LIFE.plusMillis(1));

        assertThat(lease.isHeld()).isFalse();
        assertThat(row.renewals).isZero();
    }

    @Test
    void answerFromBeforeASuspensionCountsForNothing() {
        pass(Lease.TRUSTED_FOR);
        row.suspension = LIFE.plusMillis(1);

        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void forgottenClaimIsLostForGood() {
        row.held = false;
        pass(Lease.TRUSTED_FOR);
        assertThat(lease.isHeld()).isFalse();

        row.held = true;
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.isLost()).isTrue();
    }

    @Test
    void unreachableDatabaseConfirmsNothing() {
        row.away = true;
        pass(Lease.TRUSTED_FOR);
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.isLost()).isFalse();

        row.away = false;
        assertThat(lease.isHeld()).isTrue();
    }

    /** The monotonic clock stands still while a virtual machine is suspended. */
    @Test
    void wallClockJumpCountsAsSuspension() {
        millis += LIFE.toMillis() + 1;
        assertThat(lease.isLost()).isTrue();

        row.held = false;
        assertThat(lease.isHeld()).isFalse();
        assertThat(row.confirmations).isEqualTo(1);
    }

    @Test
    void wallClockThatGoesBackExtendsNothing() {
        millis -= Duration.ofHours(1).toMillis();
        pass(LIFE.plusNanos(1));

        assertThat(lease.isLost()).isTrue();
    }

    @Test
    void keeperConfirmsAndRenewsInTime() throws Exception {
        keeper.runOnce();
        assertThat(row.confirmations + row.renewals).isZero();
        pass(Duration.ofSeconds(1));
        keeper.runOnce();
        assertThat(row.confirmations).isEqualTo(1);
        pass(LIFE.dividedBy(3));
        keeper.runOnce();

        assertThat(row.renewals).isEqualTo(1);
        assertThat(lease.remaining()).isEqualTo(LIFE);
    }

    @Test
    void settlementThatOutlastsTheLeaseIsNotRenewed() throws Exception {
        lease.settling();
        pass(LIFE);
        keeper.runOnce();
        assertThat(row.renewals).isEqualTo(1);

        pass(LIFE.dividedBy(2));
        keeper.runOnce();
        pass(LIFE.dividedBy(2).plusNanos(1));
        keeper.runOnce();
        assertThat(row.renewals).isEqualTo(1);
        assertThat(lease.isLost()).isTrue();
    }

    @Test
    void eachSettlementHasTheLengthOfTheLease() throws Exception {
        for (int i = 1; i <= 5; i++) {
            lease.settling();
            pass(LIFE.dividedBy(2));
            lease.settled();
            keeper.runOnce();
            assertThat(row.renewals).isEqualTo(i);
        }
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
        millis += time.toMillis();
    }
}
