package dev.outbox.internal.poll;

import dev.outbox.internal.lease.LeaseGuard;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims the next batch while the loop dispatches a full one. */
final class Prefetch<B extends Batch<W, ?>, W> implements BatchSource<B, W> {

    private static final Logger log = LoggerFactory.getLogger(Prefetch.class);

    /** Prefetched events are unavailable to other instances, so prefetch only if batches are short. */
    private static final Duration LONGEST_BATCH = Duration.ofMillis(50);

    private static final Duration LONGEST_WAIT_AT_CLOSE = Duration.ofSeconds(1);

    private final BatchSource<B, W> source;
    private final BackgroundCall<Claimed<B>> call;
    private final String stream;
    private final Duration lease;
    private boolean begun;
    private long begunAt;
    private boolean quick;
    private @Nullable Long fullSince;

    Prefetch(BatchSource<B, W> source, String stream, Duration lease) {
        this.source = source;
        this.stream = stream;
        this.lease = lease;
        this.call = new BackgroundCall<>("outbox-claimer-" + stream, this::giveBack);
    }

    @Override
    public Claimed<B> claim(boolean nearOnly) throws SQLException {
        Long since = fullSince;
        quick = since == null ? quick : System.nanoTime() - since <= LONGEST_BATCH.toNanos();
        boolean prefetched = begun;
        begun = false;
        Claimed<B> claimed = prefetched ? prefetched() : source.claim(nearOnly);
        B batch = claimed.batch();
        fullSince = batch != null && batch.isFull() ? System.nanoTime() : null;
        return claimed;
    }

    /** A claim that takes longer than its lease has lost it. */
    private Claimed<B> prefetched() throws SQLException {
        return call.result(() -> System.nanoTime() - begunAt > lease.toNanos()).orElseGet(() -> {
            log.warn(
                    "Claim on stream {} did not return within its lease of {} s; claiming again",
                    stream,
                    lease.toSeconds());
            return Claimed.nothing(true);
        });
    }

    @Override
    public void begin(B batch) throws SQLException {
        if (!begun && quick && batch.isSpread()) {
            begunAt = System.nanoTime();
            begun = call.begin(() -> source.claim(true));
        }
        source.begin(batch);
    }

    @Override
    public boolean dispatch(B batch, SerialQueue<W> queue, LeaseGuard guard) {
        return source.dispatch(batch, queue, guard);
    }

    @Override
    public Settled settle(B batch, boolean last, Mode mode) throws SQLException {
        return source.settle(batch, last, mode);
    }

    /** Does not wait long for another session that keeps the claim from ending. */
    @Override
    public void close() throws SQLException {
        if (!begun) {
            return;
        }
        begun = false;
        if (!call.endsWithin(LONGEST_WAIT_AT_CLOSE) && call.abandon()) {
            log.warn(
                    "Claim on stream {} did not complete within 1 s at shutdown; its events become available when the lease expires",
                    stream);
            return;
        }
        Optional<Claimed<B>> claimed = call.result(() -> false);
        if (claimed.isPresent()) {
            release(claimed.get());
        }
    }

    /** Nothing else would end the lease of a batch that no loop has. */
    private void giveBack(Claimed<B> late) {
        try {
            release(late);
        } catch (SQLException | RuntimeException ex) {
            log.debug("A late claim on stream {} could not be given back; its lease ends it", stream, ex);
        }
    }

    private void release(Claimed<B> claimed) throws SQLException {
        B batch = claimed.batch();
        if (batch != null) {
            try {
                batch.lease().release();
            } finally {
                batch.lease().close();
            }
        }
    }
}
