package dev.outbox.internal.processing;

import dev.outbox.internal.background.Lease;
import dev.outbox.internal.delivery.DueDelivery;
import dev.outbox.internal.store.DeliveryClaimStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The deliveries behind a lease. The batch loses those that another worker has taken, and keeps the rest. */
record LeasedDeliveries(DeliveryClaimStore claims, RetryBatch batch, Duration life) implements Lease.Claimed {

    @Override
    public boolean renew() throws SQLException {
        List<DueDelivery> unsettled = batch.held();
        return unsettled.isEmpty() || batch.keep(unsettled, claims.renew(unsettled, life));
    }

    @Override
    public boolean confirm() throws SQLException {
        List<DueDelivery> unsettled = batch.held();
        return unsettled.isEmpty() || batch.keep(unsettled, claims.confirm(unsettled));
    }
}
