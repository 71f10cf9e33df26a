package dev.outbox.internal.lease;

import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.sql.BoundConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Claim that belongs to this process for a limited time; work starts only if the database has just confirmed it. */
public final class Lease implements AutoCloseable {

    /** How long a confirmation is trusted. Must be shorter than the delay of the first claim after a PostgreSQL crash, which can lose claims. */
    static final Duration TRUSTED_FOR = Duration.ofMillis(100);

    private static final Logger log = LoggerFactory.getLogger(Lease.class);

    private static final int RENEWALS_PER_LIFE = 3;

    private final Claimed claimed;
    private final Duration life;
    private final Moment.Source clock;
    private final Consumer<Lease> onClose;
    private final ReentrantLock asking = new ReentrantLock();
    private volatile Moment confirmedAt;
    private volatile Moment renewedAt;
    private volatile boolean gone;

    /** Whether a confirmation has failed; guarded by the lock. */
    private boolean unconfirmed;

    private volatile @Nullable Moment settlingSince;

    /** Batches that work on the claim. */
    private final AtomicInteger holders = new AtomicInteger(1);

    /** What is leased. */
    public interface Claimed {

        /** No row: no other worker can take it. */
        Claimed WITHOUT_ROW = new Claimed() {

            @Override
            public long id() {
                return 0;
            }

            @Override
            public boolean renew() {
                return true;
            }

            @Override
            public boolean confirm() {
                return true;
            }

            @Override
            public boolean confirmIn(BoundConnection transaction) {
                return true;
            }

            @Override
            public void release() {}
        };

        /** Returns the id of the claim. */
        long id();

        /** Renews the lease. */
        boolean renew() throws Exception;

        /** Asks whether the claim still belongs to this process. */
        boolean confirm() throws Exception;

        /** Asks the same on the connection of the calling thread's transaction, which may have an old snapshot. */
        boolean confirmIn(BoundConnection transaction) throws SQLException;

        /** Gives back what is not settled. */
        void release() throws SQLException;
    }

    Lease(Claimed claimed, Duration life, Moment begun, Moment.Source clock, Consumer<Lease> onClose) {
        this.claimed = claimed;
        this.life = life;
        this.clock = clock;
        this.confirmedAt = begun;
        this.renewedAt = begun;
        this.onClose = onClose;
    }

    long claim() {
        return claimed.id();
    }

    /** Renews the lease when a third of its life is over, unless its work no longer moves, and otherwise confirms it. */
    void keep() throws Exception {
        if (!isStalled() && sinceRenewal().compareTo(life.dividedBy(RENEWALS_PER_LIFE)) >= 0) {
            renew();
        } else if (!isFresh()) {
            confirm();
        }
    }

    /** Notes that a settlement of the work begins. If it takes longer than the lease, the lease is no longer renewed. */
    public void settling() {
        settlingSince = clock.now();
    }

    /** Notes that the settlement has ended, with or without success. */
    public void settled() {
        settlingSince = null;
    }

    private boolean isStalled() {
        Moment since = settlingSince;
        return since != null && clock.now().since(since).compareTo(life) > 0;
    }

    private boolean confirm() throws Exception {
        FaultPoint.BEFORE_CONFIRMATION.reached();
        boolean held = ask(claimed::confirm);
        FaultPoint.AFTER_CONFIRMATION.reached();
        return held;
    }

    private boolean renew() throws Exception {
        Moment begun = clock.now();
        FaultPoint.BEFORE_RENEWAL.reached();
        boolean held = ask(claimed::renew);
        FaultPoint.AFTER_RENEWAL.reached();
        if (held) {
            renewedAt = begun;
        }
        return held;
    }

    /**
     * Returns whether work may start. Confirms the lease in the database unless it was confirmed within 100 ms, and renews one that only this
     * process takes for lost: a claim that waits for a lock or a connection may use it up.
     */
    public boolean isHeld() {
        if (gone) {
            return false;
        }
        if (isFresh()) {
            return true;
        }
        asking.lock();
        try {
            // A process that was suspended since the answer has lost the lease.
            return isFresh() || (confirm() && (!isLost() || (!isStalled() && renew() && !isLost())));
        } catch (Exception ex) {
            if (!unconfirmed) {
                unconfirmed = true;
                log.atLevel(Causes.isUnreachable(ex) ? Level.DEBUG : Level.WARN)
                        .setCause(ex)
                        .log("Claim {} could not be confirmed; what has not begun is given back", claimed.id());
            }
            return false;
        } finally {
            asking.unlock();
        }
    }

    /**
     * Returns the same within the transaction of the calling thread. Asks on its connection: the pool may have no other, and the thread that
     * waits for one may be asking about this lease. An old snapshot is safe: a crash that loses the claim ends the session too, and this
     * process knows when its lease ends.
     */
    public boolean isHeldIn(BoundConnection transaction) throws SQLException {
        return isFresh() || (!gone && claimed.confirmIn(transaction) && !isLost());
    }

    /** No confirmation outlasts the lease: another process may claim the work as soon as it ends. */
    private boolean isFresh() {
        Moment now = clock.now();
        return !gone && now.isWithin(TRUSTED_FOR.toNanos(), confirmedAt) && now.isWithin(life.toNanos(), renewedAt);
    }

    private boolean ask(Callable<Boolean> question) throws Exception {
        if (gone) {
            return false;
        }
        Moment begun = clock.now();
        if (!question.call()) {
            gone = true;
            return false;
        }
        confirmedAt = begun;
        return true;
    }

    /** Returns whether the database has said that the claim is not this process's any more. */
    public boolean isGone() {
        return gone;
    }

    /** Returns whether another process may own the work by now. Does not ask the database. */
    public boolean isLost() {
        return gone || remaining().isNegative();
    }

    /** Returns the time until the lease ends unless it is renewed. */
    Duration remaining() {
        return life.minus(sinceRenewal());
    }

    private Duration sinceRenewal() {
        return clock.now().since(renewedAt);
    }

    /** Gives back what is not settled, before the lease ends. */
    public void release() throws SQLException {
        claimed.release();
    }

    /** Adds a batch that works on the claim, and closes the lease too. */
    public Lease share() {
        holders.incrementAndGet();
        return this;
    }

    /** Ends the renewals when the last batch of the claim has ended. */
    @Override
    public void close() {
        if (holders.decrementAndGet() == 0) {
            onClose.accept(this);
        }
    }
}
