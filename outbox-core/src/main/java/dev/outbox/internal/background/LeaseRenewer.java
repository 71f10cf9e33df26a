package dev.outbox.internal.background;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases while the work that they protect continues, three times in the life of each, and asks for them once a second: a handler
 * that runs for long learns that its lease is lost.
 */
public final class LeaseRenewer implements AutoCloseable {

    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(1);
    private static final int LOOKS_PER_LEASE = 6;

    private final Duration interval;
    private final Moment.Source clock;
    private final Set<Lease> leases = ConcurrentHashMap.newKeySet();
    private final BackgroundLoop duty;

    /** Creates a keeper that has not started. */
    public LeaseRenewer(Duration lease, Moment.Source clock) {
        Duration part = lease.dividedBy(LOOKS_PER_LEASE);
        this.interval = part.compareTo(LONGEST_INTERVAL) < 0 ? part : LONGEST_INTERVAL;
        this.clock = clock;
        this.duty = new BackgroundLoop("outbox-leases", this::step);
    }

    /** Starts the thread. */
    public void start() {
        duty.start();
    }

    /** Keeps a lease from now on. */
    public Lease keep(Lease.Claimed claimed, Duration life, Moment begun) {
        Lease lease = new Lease(claimed, life, begun, clock, leases::remove);
        leases.add(lease);
        return lease;
    }

    /** Returns the moment, by the clock that leases are measured with. */
    public Moment now() {
        return clock.now();
    }

    /** Renews or confirms every lease once. */
    public void runOnce() throws Exception {
        @Nullable Exception first = null;
        for (Lease lease : leases) {
            try {
                lease.keep();
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
