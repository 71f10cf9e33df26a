package dev.outbox.internal.maintenance;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.delivery.RegisteredHandler;
import dev.outbox.internal.dispatch.HandlerRegistry;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.operations.JdbcReplays;
import dev.outbox.internal.store.ReplayFeedStore;
import dev.outbox.internal.store.ReplaySource;
import dev.outbox.internal.store.ReplaySource.Next;
import dev.outbox.internal.store.ReplaySource.Unfinished;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the deliveries of replays in the order of their events, no faster than their rate, and no further ahead of their handler
 * than a bound. Every process that polls has one; whichever comes first feeds, and the others find it done.
 */
public final class ReplayFeeder implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ReplayFeeder.class);

    private static final Duration IDLE = Duration.ofSeconds(5);
    private static final Duration SHORTEST_REST = Duration.ofMillis(50);
    private static final Duration LONGEST_REST = Duration.ofSeconds(1);
    private static final Duration LONG_COUNT = Duration.ofMillis(100);
    private static final int ALWAYS_OUTSTANDING = 500;
    private static final int FED_AT_ONCE = 500;

    private final ReplaySource source;
    private final ReplayFeedStore feeds;
    private final HandlerRegistry registry;
    private final JdbcReplays replays;
    private final Listener listener;
    private final BackgroundLoop duty = new BackgroundLoop("outbox-replay", this::runOnce);

    /** Hears of deliveries that were added. */
    @FunctionalInterface
    public interface Listener {

        /** Deliveries were added and are committed. */
        void fed(String stream, String handlerId, int deliveries);
    }

    /** Creates a feeder that has not started. */
    public ReplayFeeder(
            ReplaySource source,
            ReplayFeedStore feeds,
            HandlerRegistry registry,
            JdbcReplays replays,
            Listener listener) {
        this.source = source;
        this.feeds = feeds;
        this.registry = registry;
        this.replays = replays;
        this.listener = listener;
    }

    /** Starts the thread. */
    public void start() {
        duty.start();
    }

    /** Makes the feeder look at once. */
    public void wake() {
        duty.wake();
    }

    /** Goes one step on with every replay, on the calling thread. */
    public Duration runOnce() throws SQLException {
        List<Unfinished> unfinished = source.unfinished();
        if (unfinished.isEmpty()) {
            return IDLE;
        }
        Duration rest = LONGEST_REST;
        for (Unfinished replay : unfinished) {
            Duration wish = advance(replay);
            rest = wish.compareTo(rest) < 0 ? wish : rest;
        }
        return rest;
    }

    private Duration advance(Unfinished replay) throws SQLException {
        if (replay.cancelled()) {
            replays.takeBack(replay.id());
            return LONGEST_REST;
        }
        if (replay.isAllFed()) {
            replays.end(replay.id());
            return LONGEST_REST;
        }
        Optional<RegisteredHandler> handler = registry.resolve(replay.handlerId());
        if (handler.isEmpty()) {
            log.warn("no process has {} any more", replay.handlerId());
            replays.cancelNow(replay.id(), "the outbox, because the handler is retired");
            return LONGEST_REST;
        }
        if (replay.allowed() == 0) {
            return rest(replay);
        }
        long begun = System.nanoTime();
        long allowed = Math.min(Math.min(replay.allowed(), FED_AT_ONCE), room(replay, handler.get()));
        Duration counting = Duration.ofNanos(System.nanoTime() - begun);
        Duration rest = allowed > 0 ? feed(replay, handler.get(), (int) allowed) : rest(replay);
        // Where many lanes stand still, counting takes long: it must not become what the database is busy with.
        return counting.compareTo(LONG_COUNT) > 0 ? counting.multipliedBy(10) : rest;
    }

    /** A handler that is paused is behind on purpose: what it is to get first must be there before it goes on. */
    private long room(Unfinished replay, RegisteredHandler handler) throws SQLException {
        return handler.paused()
                ? Long.MAX_VALUE
                : Math.max(replay.rate(), ALWAYS_OUTSTANDING) - source.outstanding(replay);
    }

    private Duration feed(Unfinished replay, RegisteredHandler handler, int allowed) throws SQLException {
        Next next = source.next(replay, handler, allowed);
        if (next.seenId() == replay.afterId()) {
            return rest(replay);
        }
        FaultPoint.BEFORE_REPLAY_PAGE.reached();
        Map<String, Integer> fed = feeds.feed(replay, handler, next);
        FaultPoint.AFTER_REPLAY_PAGE.reached();
        fed.forEach((stream, deliveries) -> listener.fed(stream, handler.id(), deliveries));
        int added = fed.values().stream().mapToInt(Integer::intValue).sum();
        boolean more = added < allowed || allowed == FED_AT_ONCE;
        return more ? Duration.ZERO : rest(replay);
    }

    private static Duration rest(Unfinished replay) {
        Duration perEvent = Duration.ofSeconds(1).dividedBy(replay.rate());
        Duration atMost = perEvent.compareTo(LONGEST_REST) < 0 ? perEvent : LONGEST_REST;
        return atMost.compareTo(SHORTEST_REST) > 0 ? atMost : SHORTEST_REST;
    }

    @Override
    public void close() {
        duty.close(Duration.ofSeconds(5));
    }
}
