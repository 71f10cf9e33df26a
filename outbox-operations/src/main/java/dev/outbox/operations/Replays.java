package dev.outbox.operations;

import java.util.List;
import java.util.Optional;

/**
 * Delivers events that are still in the outbox to one handler again, or for the first time to a handler that is newer than the events; and
 * retries or skips many deliveries in the background.
 *
 * <p>A replay is stored in the database. Any process that polls works on it, and continues after a crash. Each call runs in its own
 * transactions and never joins one of the calling thread. Thread-safe.
 *
 * <p>Every method throws a {@link org.springframework.dao.DataAccessException} if the database refuses a statement or cannot be reached.
 */
public interface Replays {

    /**
     * Starts a replay of the events that exist at the moment. The replay runs in the background.
     *
     * @param request which events, to which handler, at which rate
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return the number of the replay
     * @throws InvalidOperationException if an argument breaks a rule, the handler does not subscribe to one of the event types, no process
     *     has registered the handler, its registration has expired, or the requested event is not in the outbox
     */
    long start(ReplayRequest request, String by, String reason);

    /**
     * Starts to retry deliveries in the background. It retries each that had failed before the start once, whatever becomes of it.
     *
     * @param selection which deliveries; must name a handler, which need not be registered
     * @param rate the maximum number of deliveries per second
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return the number of the retry, for {@link #find} and {@link #cancel}
     * @throws InvalidOperationException if an argument breaks a rule
     */
    long retry(DeliverySelection selection, int rate, String by, String reason);

    /**
     * Starts to skip deliveries in the background: those that had failed before the start and have not been retried since.
     *
     * @param selection which deliveries; must name a handler, which need not be registered
     * @param rate the maximum number of deliveries per second
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return the number of the skip, for {@link #find} and {@link #cancel}
     * @throws InvalidOperationException if an argument breaks a rule
     */
    long skip(DeliverySelection selection, int rate, String by, String reason);

    /**
     * Counts the events of a request, without starting it. Looks at {@link Count#MOST} events at most.
     *
     * @param request which events, to which handler
     * @return the number of events, exact unless the outbox has more events than were looked at; 0 for an event that is not in the outbox
     * @throws InvalidOperationException as {@link #start} does, except for an event that is not in the outbox
     */
    Count countEvents(ReplayRequest request);

    /**
     * Finds a replay.
     *
     * @param id the number of the replay
     * @return the replay with its current progress, or empty if there is none
     */
    Optional<Replay> find(long id);

    /**
     * Lists the 100 latest replays.
     *
     * @return the replays with their current progress, latest first
     */
    List<Replay> list();

    /**
     * Cancels a replay: it adds, retries or skips no further deliveries. Those that it has added remain; {@link OutboxOperations#skip}
     * removes them.
     *
     * @param id the number of the replay
     * @param by the operator; at most 255 characters
     * @return {@code true} if the replay had deliveries to add, retry or skip
     * @throws InvalidOperationException if {@code by} breaks a rule
     */
    boolean cancel(long id, String by);
}
