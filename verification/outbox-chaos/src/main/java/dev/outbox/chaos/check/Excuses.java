package dev.outbox.chaos.check;

import dev.outbox.chaos.history.Execution;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.Faults.Window;
import dev.outbox.chaos.history.History;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Which faults allow that an event is executed again, although its first execution succeeded or still runs. */
final class Excuses {

    /** A worker trusts an answer of the database for so long, and the first claim after a crash waits for so long. */
    private static final long TRUST = TimeUnit.MILLISECONDS.toNanos(250);

    private static final Set<Kind> CUT_OFF = EnumSet.of(
            Kind.CONNECTIONS_CUT,
            Kind.CONNECTIONS_FROZEN,
            Kind.BACKENDS_TERMINATED,
            Kind.POOL_EXHAUSTED,
            Kind.LOCKS_HELD);

    /** The shortest time after which a lease can have expired: it is renewed three times in its life, and a renewal may be late. */
    private final long shortestLease;

    Excuses(CheckSettings settings) {
        this.shortestLease = settings.lease().toNanos() / 2;
    }

    /**
     * Returns whether the second execution may start while the first still runs. A worker that was suspended right before the start of a
     * handler starts it when it resumes.
     */
    boolean mayOverlap(History history, Execution first, Execution second) {
        long from = first.started().at();
        long to = second.started().at();
        return history.faults().matching((window) -> window.begun() <= to).anyMatch((window) -> {
            if (window.isOfDatabase()) {
                return window.ended() + TRUST >= from;
            }
            long lasted = Math.min(window.ended(), to) - window.begun();
            return switch (window.kind()) {
                case SUSPEND ->
                    lasted >= shortestLease
                            && ((isOf(window, first) && window.ended() >= from)
                                    || (isOf(window, second) && to <= window.ended() + TRUST));
                case CONNECTIONS_CUT, CONNECTIONS_FROZEN, POOL_EXHAUSTED, LOCKS_HELD ->
                    isFor(history, window, first) && window.ended() >= from && to - window.begun() >= shortestLease;
                default -> false;
            };
        });
    }

    /**
     * Returns whether the second execution may happen although the first succeeded: its outcome may not have been written. A kill is
     * noted before the signal arrives, and a worker notices a dead connection when it uses it next.
     */
    boolean mayRepeat(History history, Execution first, Execution second) {
        long from = first.started().at();
        long to = second.started().at();
        return mayOverlap(history, first, second)
                || history.faults()
                        .matching((window) -> window.begun() <= to && window.ended() + TRUST >= from)
                        .anyMatch((window) -> window.kind() == Kind.KILL
                                ? isOf(window, first)
                                : CUT_OFF.contains(window.kind()) && isFor(history, window, first));
    }

    private static boolean isOf(Window window, Execution execution) {
        return window.target().equals(execution.started().process());
    }

    /** A fault of a server concerns every process. */
    private static boolean isFor(History history, Window window, Execution execution) {
        return isOf(window, execution) || !history.isProcess(window.target());
    }
}
