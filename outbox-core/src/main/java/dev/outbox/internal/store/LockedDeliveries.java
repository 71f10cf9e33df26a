package dev.outbox.internal.store;

import dev.outbox.internal.delivery.DeliveryKey;
import dev.outbox.internal.delivery.DueDelivery;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.failure.Refusal;
import dev.outbox.internal.store.DeliverySettlementStore.Settled;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Settles deliveries one after the other where rows are locked or refused, and leaves what is behind such a row alone. */
final class LockedDeliveries {

    private static final Logger log = LoggerFactory.getLogger(LockedDeliveries.class);

    private final Set<Lane> locked = new HashSet<>();
    private final Set<DeliveryKey> written = new HashSet<>();
    private final Set<DeliveryKey> leftOver = new HashSet<>();
    private final List<Integer> retriesOfCompleted = new ArrayList<>();

    /** Settles one delivery. */
    @FunctionalInterface
    interface Settling {
        Settled settle() throws SQLException;
    }

    /** Settles a delivery, or as a dead letter if PostgreSQL refuses that. */
    void settle(DueDelivery delivery, Settling settling, Function<Failure, Settling> deadLetter) throws SQLException {
        settle(delivery, () -> {
            try {
                return settling.settle();
            } catch (SQLException ex) {
                if (!Refusal.is(ex)) {
                    throw ex;
                }
                log.error(
                        "PostgreSQL refused to store the outcome of {} for {}; it is dead until an operator retries or skips it",
                        delivery.envelope(),
                        delivery.handlerId(),
                        ex);
                return deadLetter.apply(Refusal.failure(ex)).settle();
            }
        });
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
            if (!DeliverySettlementStore.isLocked(ex) && !Refusal.is(ex)) {
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
