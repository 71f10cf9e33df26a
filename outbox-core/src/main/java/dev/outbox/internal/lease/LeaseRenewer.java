package dev.outbox.internal.lease;

import dev.outbox.internal.background.BackgroundLoop;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Renews each lease at a third of its duration and confirms it every second, so that long-running handlers detect a lost lease. */
public final class LeaseRenewer implements AutoCloseable {

    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(1);
    private static final int LOOKS_PER_LEASE = 6;

    private final Duration interval;
    private final Moment.Source clock;
    private final Set<Lease> leases = ConcurrentHashMap.newKeySet();
    private final BackgroundLoop loop;

    /** Creates a renewer of leases in a database that measures them by the given clock. */
    public LeaseRenewer(Duration lease, DataSource database, Moment.Source clock) {
        Duration part = lease.dividedBy(LOOKS_PER_LEASE);
        this.interval = part.compareTo(LONGEST_INTERVAL) < 0 ? part : LONGEST_INTERVAL;
        this.clock = clock;
        this.loop = new BackgroundLoop("outbox-leases", database, this::step);
    }

    public void start() {
        loop.start();
    }

    /** Opens a lease that began at the given moment. */
    public Lease keep(Lease.Claimed claimed, Duration life, Moment begun) {
        Lease lease = new Lease(claimed, life, begun, clock, leases::remove);
        leases.add(lease);
        return lease;
    }

    /** Builds a batch with the lease of its claim. Gives the claim back if that fails: nothing would end a lease that no batch has. */
    public <B> B keep(Lease.Claimed claimed, Duration life, Moment begun, Function<Lease, B> batch)
            throws SQLException {
        Lease lease = null;
        try {
            lease = keep(claimed, life, begun);
            return batch.apply(lease);
        } catch (Throwable ex) {
            if (lease != null) {
                lease.close();
            }
            claimed.release();
            throw ex;
        }
    }

    /** Returns the ids of the claims that batches of this process have. */
    public Set<Long> claims() {
        return leases.stream().map(Lease::claim).collect(Collectors.toSet());
    }

    /** Returns the moment by the clocks that measure leases. */
    public Moment now() {
        return clock.now();
    }

    /** Renews or confirms every lease once. */
    public void runOnce() throws Exception {
        @Nullable Throwable first = null;
        for (Lease lease : leases) {
            try {
                lease.keep();
            } catch (Throwable ex) {
                first = first == null ? ex : first;
            }
        }
        if (first instanceof Exception exception) {
            throw exception;
        }
        if (first instanceof Error error) {
            throw error;
        }
    }

    private Duration step() throws Exception {
        runOnce();
        return interval;
    }

    @Override
    public void close() {
        loop.close(interval);
    }
}
