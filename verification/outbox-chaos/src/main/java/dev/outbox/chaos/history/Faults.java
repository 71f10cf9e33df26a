package dev.outbox.chaos.history;

import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.Fact.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What the nemesis did, as windows of time. */
public final class Faults {

    private static final Set<Kind> MOMENTARY =
            EnumSet.of(Kind.KILL, Kind.BACKENDS_TERMINATED, Kind.STOP, Kind.SUBSCRIPTION_AGED);
    private static final Set<Kind> DATABASE_AWAY =
            EnumSet.of(Kind.DATABASE_CRASH, Kind.FAILOVER_ASYNC, Kind.FAILOVER_SYNC, Kind.RESTORE);

    private static final Set<Kind> DEADLY = EnumSet.of(Kind.KILL, Kind.STOP);

    private final List<Window> windows = new ArrayList<>();

    /**
     * A fault from its beginning to its end.
     *
     * @param durableUntil every commit up to this moment survives it
     */
    public record Window(Kind kind, String target, long begun, long ended, long durableUntil) {

        /** Returns whether it has effects between two moments. */
        public boolean overlaps(long from, long to) {
            return begun <= to && ended >= from;
        }

        /** Returns from when on the outbox has to recover: frozen connections never come back. */
        public long recoverableFrom() {
            return kind == Kind.CONNECTIONS_FROZEN ? begun : ended;
        }

        /** Returns whether the database crashed, or another one took over. */
        public boolean isOfDatabase() {
            return DATABASE_AWAY.contains(kind);
        }
    }

    Faults(List<Fault> facts) {
        for (Fault fault : facts) {
            if (fault.phase() == Phase.BEGUN) {
                Long durable = fault.durableUntil();
                windows.add(new Window(
                        fault.kind(),
                        fault.target(),
                        fault.at(),
                        end(fault, facts),
                        durable == null ? Long.MAX_VALUE : durable));
            }
        }
    }

    private static long end(Fault begun, List<Fault> facts) {
        return facts.stream()
                .filter((fault) -> fault.phase() == Phase.ENDED
                        && fault.kind() == begun.kind()
                        && fault.target().equals(begun.target())
                        && fault.at() >= begun.at())
                .mapToLong(Fault::at)
                .min()
                .orElse(MOMENTARY.contains(begun.kind()) ? begun.at() : Long.MAX_VALUE);
    }

    /** Returns the faults that fulfil a condition. */
    public Stream<Window> matching(Predicate<Window> condition) {
        return windows.stream().filter(condition);
    }

    /** Returns from when on the outbox has to recover from the last fault; the beginning of time if there was none. */
    public long lastRecoverable() {
        return windows.stream().mapToLong(Window::recoverableFrom).max().orElse(Long.MIN_VALUE);
    }

    /** Returns from when on the outbox has to recover from the last fault between two moments; the first moment if there was none. */
    public long lastRecoverable(long from, long to) {
        return windows.stream()
                .filter((window) -> window.overlaps(from, to))
                .mapToLong(Window::recoverableFrom)
                .reduce(from, Math::max);
    }

    /** Returns whether PostgreSQL may forget the commit of a transaction: it may lie after what a standby or a backup has. */
    public boolean mayForget(TransactionHistory transaction) {
        return windows.stream()
                .anyMatch((window) -> transaction.completedAt() > window.durableUntil()
                        && transaction.intendedAt() <= window.ended());
    }

    /** Returns whether PostgreSQL may have forgotten what led to a moment, at most so long after another server took over. */
    public boolean mayForget(long moment, Duration after) {
        return windows.stream()
                .anyMatch((window) -> moment > window.durableUntil() && moment <= window.ended() + after.toNanos());
    }

    /** Returns when a process was killed or had stopped; the end of time if it was not. */
    public long deathOf(String process) {
        return windows.stream()
                .filter((window) ->
                        DEADLY.contains(window.kind()) && window.target().equals(process))
                .mapToLong(Window::ended)
                .min()
                .orElse(Long.MAX_VALUE);
    }
}
