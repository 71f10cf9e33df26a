package dev.outbox.duty;

import java.util.function.Consumer;

/** Something that belongs to this process for a limited time, renewed until it is closed or found lost. */
public final class Lease implements AutoCloseable {

    private final Renewal renewal;
    private final Runnable onClose;
    private volatile boolean lost;

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

    Lease(Renewal renewal, Consumer<Lease> onClose) {
        this.renewal = renewal;
        this.onClose = () -> onClose.accept(this);
    }

    void renew() throws Exception {
        if (!lost && !renewal.renew()) {
            lost = true;
        }
    }

    /**
     * Says whether somebody else may own it by now.
     *
     * @return whether a renewal found it gone
     */
    public boolean isLost() {
        return lost;
    }

    /** Ends the renewing. */
    @Override
    public void close() {
        onClose.run();
    }
}
