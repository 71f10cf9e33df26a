package dev.outbox.operations.internal.replay;

import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.registry.RegisteredHandler;
import dev.outbox.operations.Count;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.Replay;
import dev.outbox.operations.Replay.Kind;
import dev.outbox.operations.internal.replay.ReplayStore.Page;
import dev.outbox.operations.internal.replay.ReplayStore.Unfinished;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the deliveries of replays in event order, a second of their rate at a time, and to a bounded number of lanes; and changes those of
 * bulks.
 */
public final class ReplayFeeder {

    private static final Logger log = LoggerFactory.getLogger(ReplayFeeder.class);

    private static final Duration UNTIL_WOKEN = Duration.ofHours(1);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(1);

    /** Time between two attempts of a replay that fails, so that it rarely delays the others. */
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(10);

    private static final int ALWAYS_DUE = 500;
    private static final int PAGE_SIZE = 500;

    private final ReplayStore store;
    private final HandlerRegistry registry;
    private final JdbcReplays replays;
    private final Consumer<String> wake;
    private final LongSupplier nanos;
    private final boolean strict;

    /** When each replay that fails was tried last. */
    private final Map<Long, Long> failing = new HashMap<>();

    /** Creates a feeder that wakes the streams to which it adds deliveries. A strict one throws what a replay throws. */
    public ReplayFeeder(JdbcReplays replays, Consumer<String> wake, LongSupplier nanos, boolean strict) {
        this.strict = strict;
        this.store = replays.store;
        this.registry = replays.registry;
        this.replays = replays;
        this.wake = wake;
        this.nanos = nanos;
    }

    /** Advances every replay and bulk by one page, and returns the delay until the next call. One that fails does not stop the others. */
    public Duration runOnce() throws SQLException {
        List<Unfinished> unfinished = store.unfinished();
        Duration delay = unfinished.isEmpty() ? UNTIL_WOKEN : LONGEST_DELAY;
        for (Unfinished replay : unfinished) {
            Long failedAt = failing.get(replay.id());
            if (failedAt != null && nanos.getAsLong() - failedAt < PAUSE_AFTER_FAILURE.toNanos()) {
                continue;
            }
            try {
                delay = shorter(delay, advance(replay));
                if (replay.pause().isZero()) {
                    failing.remove(replay.id());
                }
            } catch (SQLException | RuntimeException ex) {
                if (strict || Causes.isUnreachable(ex)) {
                    throw ex;
                }
                if (failing.put(replay.id(), nanos.getAsLong()) == null) {
                    log.warn("Replay {} to {} fails; it is tried again", replay.id(), replay.handlerId(), ex);
                }
            }
        }
        return delay;
    }

    private Duration advance(Unfinished replay) throws SQLException {
        if (!replay.kind().equals(Kind.REPLAY.name())) {
            if (replay.pause().isZero()) {
                change(replay);
            }
            return replay.pause();
        }
        Optional<RegisteredHandler> handler = registry.resolve(replay.handlerId());
        if (handler.isEmpty() || handler.get().subscriptions().isEmpty()) {
            log.warn("The registration of handler '{}' has expired; replay {} ends", replay.handlerId(), replay.id());
            replays.cancelNow(replay.id(), "the outbox, because the registration of the handler has expired");
            return LONGEST_DELAY;
        }
        if (!replay.pause().isZero()) {
            return replay.pause();
        }
        long room = Math.min(PAGE_SIZE, Math.min(replay.rate(), room(replay, handler.get())));
        return room > 0 ? addPage(replay, handler.get(), (int) room) : LONGEST_DELAY;
    }

    private void change(Unfinished unfinished) throws SQLException {
        Replay bulk = store.find(unfinished.id());
        DeliverySelection selection = Objects.requireNonNull(bulk.deliveries());
        int limit = Math.min(PAGE_SIZE, unfinished.rate());
        replays.operations.advance(bulk, selection, unfinished.afterId(), unfinished.upToId(), limit);
    }

    /** A paused handler gets its past without a bound: it must be complete before the handler resumes. */
    private static long room(Unfinished replay, RegisteredHandler handler) {
        return handler.paused()
                ? Long.MAX_VALUE
                : Math.min(Math.max(replay.rate(), ALWAYS_DUE), Count.MOST) - replay.due();
    }

    private Duration addPage(Unfinished replay, RegisteredHandler handler, int limit) throws SQLException {
        Page page = store.next(replay, handler, limit);
        if (page.lastId() == replay.afterId()) {
            return LONGEST_DELAY;
        }
        FaultPoint.BEFORE_REPLAY_PAGE.reached();
        List<String> streams = store.add(replay, handler, page);
        FaultPoint.AFTER_REPLAY_PAGE.reached();
        streams.forEach(wake);
        if (page.lastId() >= replay.upToId()) {
            log.info("Replay {} to {} has added its deliveries", replay.id(), handler.id());
        }
        return Duration.ZERO;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
