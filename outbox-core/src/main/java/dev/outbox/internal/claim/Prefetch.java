package dev.outbox.internal.claim;



import dev.outbox.internal.dispatch.ClaimedEvent;
import dev.outbox.internal.lease.LeaseGuard;
import dev.outbox.internal.poll.BackgroundCall;
import dev.outbox.internal.poll.BatchSource;
import dev.outbox.internal.poll.SerialQueue;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims the next batch while the loop dispatches a full one. */
final class Prefetch implements BatchSource<EventBatch, ClaimedEvent> {

    private static final Logger log = LoggerFactory.getLogger(Prefetch.class);

    /** Prefetched events are unavailable to other instances, so prefetch only if batches are short. */
    private static final Duration LONGEST_BATCH = Duration.ofMillis(50);

    private static final Duration LONGEST_WAIT_AT_CLOSE = Duration.ofSeconds(1);

    private final BatchSource<EventBatch, ClaimedEvent> source;
    private final BackgroundCall<Claimed<EventBatch>> call;
    private final String stream;
    private boolean begun;
    private boolean quick;
    private @Nullable Long fullSince;

    Prefetch(BatchSource<EventBatch, ClaimedEvent> source, String stream) {
        this.source = source;
        this.stream = stream;
        this.call = new BackgroundCall<>("outbox-claimer-" + stream);
    }

    @Override
    public Claimed<EventBatch> claim(boolean nearOnly) throws SQLException {
        Long since = fullSince;
        quick = since == null ? quick : System.nanoTime() - since <= LONGEST_BATCH.toNanos();
        boolean prefetched = begun;
        begun = false;
        Claimed<EventBatch> claimed = prefetched ? call.result() : source.claim(nearOnly);
        EventBatch batch = claimed.batch();
        fullSince = batch != null && batch.isFull() ? System.nanoTime() : null;
        return claimed;
    }

    @Override
    public void begin(EventBatch batch) throws SQLException {
        if (!begun && quick && batch.isSpread()) {
            begun = call.begin(() -> source.claim(true));
        }
        source.begin(batch);
    }

    @Override
    public boolean dispatch(EventBatch batch, SerialQueue<ClaimedEvent> queue, LeaseGuard guard) {
        return source.dispatch(batch, queue, guard);
    }

    @Override
    public Settled settle(EventBatch batch, boolean last, Mode mode) throws SQLException {
        return source.settle(batch, last, mode);
    }

    @Override
    public void release(EventBatch batch) throws SQLException {
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
        EventBatch batch = call.result().batch();
        if (batch != null) {
            try {
                source.release(batch);
            } finally {
                batch.lease().close();
            }
        }
    }
}
