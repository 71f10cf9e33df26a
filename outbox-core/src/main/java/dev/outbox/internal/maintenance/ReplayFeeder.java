package dev.outbox.internal.maintenance;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.delivery.RegisteredHandler;
import dev.outbox.internal.dispatch.HandlerRegistry;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.operations.JdbcReplays;
import dev.outbox.internal.store.ReplayDeliveryStore;
import dev.outbox.internal.store.ReplayEventStore;
import dev.outbox.internal.store.ReplayStore.Unfinished;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Adds the deliveries of replays in event order, within their rate and at most a bounded number ahead of their handlers. */
public final class ReplayFeeder implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ReplayFeeder.class);

    private static final Duration IDLE = Duration.ofSeconds(5);
    private static final Duration SHORTEST_DELAY = Duration.ofMillis(50);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(1);
    private static final Duration LONG_COUNT = Duration.ofMillis(100);
    private static final int ALWAYS_OUTSTANDING = 500;
    private static final int PAGE_SIZE = 500;

    private final ReplayEventStore events;
    private final ReplayDeliveryStore deliveries;
    private final HandlerRegistry registry;
    private final JdbcReplays replays;
    private final Listener listener;
    private final BackgroundLoop loop = new BackgroundLoop("outbox-replay", this::runOnce);

    /** Is notified of added deliveries. */
    @FunctionalInterface
    public interface Listener {

        /** Handles the number of deliveries that a transaction added to a stream. */
        void added(String stream, String handlerId, int deliveries);
    }

    /** Creates a feeder that has not started. */
    public ReplayFeeder(
            ReplayEventStore events,
            ReplayDeliveryStore deliveries,
            HandlerRegistry registry,
            JdbcReplays replays,
            Listener listener) {
        this.events = events;
        this.deliveries = deliveries;
        this.registry = registry;
        this.replays = replays;
        this.listener = listener;
    }

    public void start() {
        loop.start();
    }

    /** Makes the thread look for work at once. */
    public void wake() {
        loop.wake();
    }

    /** Advances every replay by one page, and returns the delay until the next call. */
    public Duration runOnce() throws SQLException {
        List<Unfinished> unfinished = replays.unfinished();
        Duration delay = unfinished.isEmpty() ? IDLE : LONGEST_DELAY;
        for (Unfinished replay : unfinished) {
            delay = shorter(delay, advance(replay));
        }
        return delay;
    }

    private Duration advance(Unfinished replay) throws SQLException {
        if (replay.cancelled()) {
            replays.skipUntried(replay.id());
            return LONGEST_DELAY;
        }
        if (replay.isAllFed()) {
            replays.end(replay.id());
            return LONGEST_DELAY;
        }
        Optional<RegisteredHandler> handler = registry.resolve(replay.handlerId());
        if (handler.isEmpty()) {
            log.warn("The registration of handler '{}' has expired; replay {} ends", replay.handlerId(), replay.id());
            replays.cancelNow(replay.id(), "the outbox, because the registration of the handler has expired");
            return LONGEST_DELAY;
        }
        if (replay.allowed() == 0) {
            return delay(replay);
        }
        long begun = System.nanoTime();
        long allowed = Math.min(Math.min(replay.allowed(), PAGE_SIZE), room(replay, handler.get()));
        Duration counting = Duration.ofNanos(System.nanoTime() - begun);
        Duration delay = allowed > 0 ? addPage(replay, handler.get(), (int) allowed) : delay(replay);
        // Many blocked lanes take long to count, which must not keep the database busy.
        return counting.compareTo(LONG_COUNT) > 0 ? counting.multipliedBy(10) : delay;
    }

    /** A paused handler gets its past without a bound: it must be complete before the handler resumes. */
    private long room(Unfinished replay, RegisteredHandler handler) throws SQLException {
        return handler.paused()
                ? Long.MAX_VALUE
                : Math.max(replay.rate(), ALWAYS_OUTSTANDING) - deliveries.outstanding(replay);
    }

    private Duration addPage(Unfinished replay, RegisteredHandler handler, int allowed) throws SQLException {
        ReplayEventStore.Page page = events.next(replay, handler, allowed);
        if (page.lastId() == replay.afterId()) {
            return delay(replay);
        }
        FaultPoint.BEFORE_REPLAY_PAGE.reached();
        Map<String, Integer> addedByStream = deliveries.add(replay, handler, page);
        FaultPoint.AFTER_REPLAY_PAGE.reached();
        addedByStream.forEach((stream, added) -> listener.added(stream, handler.id(), added));
        int added = addedByStream.values().stream().mapToInt(Integer::intValue).sum();
        return added < allowed || allowed == PAGE_SIZE ? Duration.ZERO : delay(replay);
    }

    private static Duration delay(Unfinished replay) {
        Duration perEvent = Duration.ofSeconds(1).dividedBy(replay.rate());
        return perEvent.compareTo(SHORTEST_DELAY) > 0 ? shorter(perEvent, LONGEST_DELAY) : SHORTEST_DELAY;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    @Override
    public void close() {
        loop.close(Duration.ofSeconds(5));
    }
}
