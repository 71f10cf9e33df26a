package dev.outbox.forwarding.autoconfigure;

import java.util.List;
import java.util.Set;

/** Properties that the routes to all brokers share. */
public interface RouteSettings {

    /** Returns the event types to forward. */
    Set<String> eventTypes();

    /** Returns the aggregate types to forward. */
    Set<String> aggregateTypes();

    /** Returns the streams to forward. */
    Set<String> streams();

    /** Returns whether to forward events that an inbox has received. */
    boolean forwardReceived();

    /** Returns the former names of the route. */
    List<String> aliases();

    /** Returns where the events go, such as "topic orders". */
    String destination();
}
