package dev.outbox.internal.claim;

import dev.outbox.internal.lease.ClaimKey;
import dev.outbox.internal.lease.Lease;
import java.sql.SQLException;
import java.time.Duration;

/** The claim row behind a lease. */
record LeasedClaim(ClaimStore claims, ClaimKey key, Duration life) implements Lease.Claimed {

    @Override
    public boolean renew() throws SQLException {
        return claims.renew(key, life);
    }

    @Override
    public boolean confirm() throws SQLException {
        return claims.confirm(key);
    }
}
