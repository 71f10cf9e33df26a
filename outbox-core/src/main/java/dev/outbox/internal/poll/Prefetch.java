package dev.outbox.internal.poll;

import dev.outbox.internal.lease.LeaseGuard;
import java.sql.SQLException;
import java.time.Duration;
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
    private boolean begun;
    private boolean quick;
    private @Nullable Long fullSince;

    Prefetch(BatchSource<B, W> source, String stream) {
        this.source = source;
        this.stream = stream;
        this.call = new BackgroundCall<>("outbox-claimer-" + stream);
    }

    @Override
    public Claimed<B> claim(boolean nearOnly) throws SQLException {
        Long since = fullSince;
        quick = since == null ? quick : System.nanoTime() - since <= LONGEST_BATCH.toNanos();
        boolean prefetched = begun;
        begun = false;
        Claimed<B> claimed = prefetched ? call.result() : source.claim(nearOnly);
        B batch = claimed.batch();
        fullSince = batch != null && batch.isFull() ? System.nanoTime() : null;
        return claimed;
    }

    @Override
    public void begin(B batch) throws SQLException {
        if (!begun && quick && batch.isSpread()) {
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

    @Override
    public void release(B batch) throws SQLException {
        source.release(batch);
    }

    /** Does not wait long for another session that keeps the claim from ending. */
    @Override
    public void close() throws SQLException {
        if (!begun) {
            return;
        }
        begun = false;
        if (!call.endsWithin(LONGEST_WAIT_AT_CLOSE)) {
            log.warn(
                    "Claim on stream {} did not complete within 1 s at shutdown; its events become available when the lease expires",
                    stream);
            return;
        }
        B batch = call.result().batch();
        if (batch != null) {
            try {
                source.release(batch);
            } finally {
                batch.lease().close();
            }
        }
    }
}
