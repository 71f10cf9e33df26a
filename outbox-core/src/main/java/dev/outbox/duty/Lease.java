package dev.outbox.duty;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Something that belongs to this process for a limited time, renewed until it is closed or found lost. Its time is measured from
 * before it was asked for, so it ends here no later than in the database.
 */
public final class Lease implements AutoCloseable {

    private final Renewal renewal;
    private final Duration life;
    private final Runnable onClose;
    private volatile long validUntil;
    private volatile boolean gone;

    /** Renews a lease. */
    @FunctionalInterface
    public interface Renewal {

        /**
         * Renews the lease.
         *
         * @return {@code false} if it is lost
         * @throws Exception if that could not be found out; it will be tried again
         */
        boolean renew() throws Exception;
    }

    Lease(Renewal renewal, Duration life, long begun, Consumer<Lease> onClose) {
        this.renewal = renewal;
        this.life = life;
        this.validUntil = begun + life.toNanos();
        this.onClose = () -> onClose.accept(this);
    }

    void renew() throws Exception {
        long begun = System.nanoTime();
        if (gone) {
            return;
        }
        if (renewal.renew()) {
            validUntil = begun + life.toNanos();
        } else {
            gone = true;
        }
    }

    /**
     * Says whether somebody else may own it by now: a renewal found it gone, or it could not be renewed in time.
     *
     * @return whether it is lost
     */
    public boolean isLost() {
        return gone || remaining().isNegative();
    }

    /**
     * Returns the time until it ends, unless it is renewed.
     *
     * @return the time; negative if it has ended
     */
    public Duration remaining() {
        return Duration.ofNanos(validUntil - System.nanoTime());
    }

    /** Ends the renewing. */
    @Override
    public void close() {
        onClose.run();
    }
}
