package dev.outbox.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScanLimitTest {

    private static final int BATCH = 100;
    private static final long NEAR = 1_000;
    private static final Duration QUICK = Duration.ofMillis(1);
    private static final Duration SLOW = Duration.ofMillis(100);

    private long now = Long.MAX_VALUE - Duration.ofSeconds(1).toNanos();
    private int instances = 1;
    private final ScanLimit depth = new ScanLimit(BATCH, () -> instances, () -> now);

    @Test
    void claimThatIsFullOrSawAShortQueueLeavesTheDepth() {
        assertDepth(NEAR);
        assertThat(learn(BATCH, true, QUICK)).isTrue();
        assertDepth(NEAR);
        assertThat(learn(0, false, QUICK)).isFalse();
        assertDepth(NEAR);
        assertThat(depth.lookAgainIn()).isEmpty();
    }

    @Test
    void claimThatALongQueueDidNotFillIsFollowedByADeeperOne() {
        assertThat(learn(3, true, QUICK)).isTrue();
        assertDepth(10_000);
        assertThat(learn(0, true, QUICK)).isTrue();
        assertDepth(100_000);
    }

    /** However slow the looks before it are. */
    @Test
    void thirdDeepLookReadsEverythingAtOnce() {
        learn(0, true, SLOW);
        learn(0, true, SLOW);
        assertThat(learn(0, true, SLOW)).isTrue();
        assertDepth(ScanLimit.UNBOUNDED);
        assertThat(learn(0, true, SLOW)).isFalse();
    }

    @Test
    void deepLooksAreNotRepeatedForTenTimesTheirTime() {
        descend(SLOW);

        assertDepth(NEAR);
        now += 3 * 10 * SLOW.toNanos() - 1;
        assertDepth(NEAR);
        now++;
        assertDepth(10_000);
    }

    /** Each of them looks as deep, and no other can claim meanwhile. */
    @Test
    void deepLooksRestLongerBesideOtherInstances() {
        instances = 3;
        descend(SLOW);

        now += 3 * 3 * 10 * SLOW.toNanos() - 1;
        assertDepth(NEAR);
        now++;
        assertDepth(10_000);
    }

    @Test
    void deepLookThatFailsRests() {
        learn(0, true, QUICK);
        depth.failed(depth.next(7), SLOW);

        assertDepth(NEAR);
        depth.failed(depth.next(7), SLOW.multipliedBy(10));
        now += 10 * SLOW.toNanos();
        assertDepth(10_000);
    }

    @Test
    void deepLooksRestForTenMinutesAtMost() {
        instances = 20;
        learn(0, true, QUICK);
        depth.failed(depth.next(7), Duration.ofMinutes(4));

        now += Duration.ofMinutes(10).toNanos();
        assertDepth(10_000);
    }

    @Test
    void deepLookThatFindsEnoughIsRepeatedAtOnceIfItIsQuick() {
        learn(10, true, QUICK);
        learn(BATCH, true, Duration.ofMillis(9));
        assertDepth(10_000);

        learn(BATCH, true, Duration.ofMillis(11));
        assertDepth(NEAR);
    }

    /** Batches of the long aggregate keep no instance from looking behind it. */
    @Test
    void whatIsFoundNearDelaysNoDeepLook() {
        descend(SLOW);
        assertThat(learn(0, true, QUICK)).isFalse();
        assertThat(learn(1, true, QUICK)).isTrue();
        learn(BATCH, true, QUICK);
        now += 3 * 10 * SLOW.toNanos();

        learn(0, true, QUICK);
        learn(0, true, SLOW);
        learn(0, true, SLOW);
        assertDepth(ScanLimit.UNBOUNDED);
    }

    @Test
    void queueThatIsShortAgainEndsTheDeepLooks() {
        learn(0, true, QUICK);
        learn(0, false, QUICK);

        assertDepth(NEAR);
    }

    @Test
    void looksAgainWhereNothingOfMuchWasFree() {
        learn(0, true, QUICK);
        assertThat(depth.lookAgainIn()).contains(QUICK.multipliedBy(10));
        now += Duration.ofSeconds(1).toNanos();
        assertThat(depth.lookAgainIn()).contains(Duration.ZERO);
        learn(1, true, QUICK);
        assertThat(depth.lookAgainIn()).isEmpty();
    }

    /** Nothing is free, however deep it looks. */
    private void descend(Duration took) {
        learn(0, true, QUICK);
        learn(0, true, took);
        learn(0, true, took);
        learn(0, true, took);
    }

    private boolean learn(int found, boolean longQueue, Duration took) {
        return depth.learn(depth.next(7), found, longQueue, took);
    }

    private void assertDepth(long ids) {
        assertThat(depth.next(7)).isEqualTo(new ScanLimit.Reach(7, ids, NEAR));
        assertThat(depth.near(7)).isEqualTo(new ScanLimit.Reach(7, NEAR, NEAR));
    }
}
