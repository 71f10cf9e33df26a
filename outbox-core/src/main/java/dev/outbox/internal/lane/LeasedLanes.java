package dev.outbox.internal.lane;

import dev.outbox.internal.lease.Lease;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;

/** The lanes behind a lease. The batch loses those that another worker has taken, and keeps the rest. */
record LeasedLanes(DeliveryClaimStore claims, RetryBatch batch, Duration life) implements Lease.Claimed {

    @Override
    public boolean renew() throws SQLException {
        Set<Lane> lanes = batch.held();
        return lanes.isEmpty() || batch.keep(lanes, claims.renew(lanes, batch.fence(), life));
    }

    @Override
    public boolean confirm() throws SQLException {
        Set<Lane> lanes = batch.held();
        return lanes.isEmpty() || batch.keep(lanes, claims.confirm(lanes, batch.fence()));
    }
}
