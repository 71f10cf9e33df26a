package dev.outbox.store;

import dev.outbox.store.DeliverySettleStore.Settled;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Settles deliveries one after the other while somebody else holds rows locked, and leaves what is behind such a row alone. */
final class ContendedDeliveries {

    private final Set<Lane> locked = new HashSet<>();
    private final Set<DeliveryKey> written = new HashSet<>();
    private final Set<DeliveryKey> leftOver = new HashSet<>();
    private final List<Integer> retriesOfCompleted = new ArrayList<>();

    /** Settles one delivery. */
    @FunctionalInterface
    interface Settling {
        Settled settle() throws SQLException;
    }

    void settle(DueDelivery delivery, Settling settling) throws SQLException {
        Lane lane = Lane.of(delivery);
        if (locked.contains(lane)) {
            leftOver.add(DeliveryKey.of(delivery));
            return;
        }
        try {
            Settled settled = settling.settle();
            written.addAll(settled.written());
            retriesOfCompleted.addAll(settled.retriesOfCompleted());
        } catch (SQLException ex) {
            if (!DeliverySettleStore.isLocked(ex)) {
                throw ex;
            }
            locked.add(lane);
            leftOver.add(DeliveryKey.of(delivery));
        }
    }

    Settled settled() {
        return new Settled(Set.copyOf(written), Set.copyOf(leftOver), List.copyOf(retriesOfCompleted));
    }
}
