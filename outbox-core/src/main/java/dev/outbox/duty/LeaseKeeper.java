package dev.outbox.duty;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Renews leases while the work that they protect goes on, three times in the life of each. */
public final class LeaseKeeper implements AutoCloseable {

    private static final int RENEWALS_PER_LEASE = 3;

    private final Duration interval;
    private final Set<Lease> leases = ConcurrentHashMap.newKeySet();
    private final Duty duty;

    /**
     * Creates a keeper that has not started.
     *
     * @param lease the life of a lease
     */
    public LeaseKeeper(Duration lease) {
        this.interval = lease.dividedBy(RENEWALS_PER_LEASE);
        this.duty = new Duty("outbox-leases", this::step);
    }

    /** Starts the thread. */
    public void start() {
        duty.start();
    }

    /**
     * Keeps a lease from now on.
     *
     * @param renewal renews it; called on the keeper's thread
     * @param life how long it lasts unless renewed
     * @param begun what {@link System#nanoTime()} was before it was asked for
     * @return the lease; to be closed when the work is done
     */
    public Lease keep(Lease.Renewal renewal, Duration life, long begun) {
        Lease lease = new Lease(renewal, life, begun, leases::remove);
        leases.add(lease);
        return lease;
    }

    /**
     * Renews every lease once.
     *
     * @throws Exception the first failure, after all have been tried
     */
    public void runOnce() throws Exception {
        @Nullable Exception first = null;
        for (Lease lease : leases) {
            try {
                lease.renew();
            } catch (Exception ex) {
                first = first == null ? ex : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private Duration step() throws Exception {
        runOnce();
        return interval;
    }

    @Override
    public void close() {
        duty.close(interval);
    }
}
