package dev.outbox.operations;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Reads the state of the outbox: what waits, since when, and why. Works in every process that uses the outbox's tables, whether its own
 * pollers run or not. Thread-safe.
 *
 * <p>Each call takes a connection of the pool, locks nothing and changes nothing. It neither joins nor affects a transaction of the calling
 * thread. The cost of a call does not depend on the number of events: every {@link Count} is bounded.
 *
 * <p>Every method throws {@link InvalidOperationException} before any SQL runs if an argument breaks a rule, and a
 * {@link org.springframework.dao.DataAccessException} if the database refuses a statement or cannot be reached.
 */
public interface OutboxInspector {

    /**
     * Returns the state of every stream, handler and instance.
     *
     * @return the state at this moment
     */
    OutboxOverview overview();

    /**
     * Groups the failed deliveries, dead or still retried, by handler and error code. Looks at the first 200 groups, in the order of their
     * handlers and codes.
     *
     * @return the groups, at most 100, those with the most dead letters first
     */
    List<FailureGroup> failures();

    /**
     * Explains what each handler's lane of an aggregate waits for. Events of the aggregate that await their first delivery are part of every
     * report.
     *
     * @param aggregateType the aggregate type
     * @param aggregateId the aggregate id
     * @return a report for each handler with open deliveries of the aggregate, in the order of handler ids; if there is none, but an event
     *     awaits its first delivery, one report without a handler; otherwise nothing
     */
    List<LaneReport> lanes(String aggregateType, String aggregateId);

    /**
     * Finds the types of the aggregates that have an id.
     *
     * @param aggregateId the aggregate id
     * @return the types of the aggregates whose events the outbox counts, or that have an open event, in their order
     */
    List<String> aggregateTypes(String aggregateId);

    /**
     * Lists the latest pause of each handler and stream that is paused.
     *
     * @return the entries of the operation log; their subject has the current id of the handler
     */
    List<Operation> pauses();

    /**
     * Finds an event that is not archived, without its payload and headers.
     *
     * @param eventId the event id
     * @return the event with its deliveries, or empty if it does not exist or is archived
     */
    Optional<EventDetails> findEvent(UUID eventId);

    /**
     * Reads the payload and the headers of an event that is not archived. A payload of more than 8 MB is left out: a JSON text names its size.
     * Needs the privileges of a worker; see {@code dev/outbox/grants.sql}.
     *
     * @param eventId the event id
     * @return the content, or empty if the event does not exist or is archived
     */
    Optional<EventDetails.Content> findContent(UUID eventId);

    /**
     * Searches events that are not archived, latest first. One call looks at {@link Count#MOST} events at most, and may therefore find
     * nothing although older events match: {@link EventPage#next} says where to continue. Open events of one aggregate are always found: those
     * that are older than the events looked at are on the first page, and once more on the page of their place.
     *
     * <p>A search for a trace id needs the privileges of a worker.
     *
     * @param selection which events
     * @param limit the largest number of events to return; at least 1
     * @return the events that were found
     */
    EventPage findEvents(EventSelection selection, int limit);
}
