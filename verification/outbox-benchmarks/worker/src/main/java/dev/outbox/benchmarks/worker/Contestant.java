package dev.outbox.benchmarks.worker;

import java.sql.Connection;
import java.util.List;
import java.util.Map;

/**
 * Outbox library, used as an application would use it. An implementation has a public constructor that takes a {@link
 * Setup}; it creates the tables if they do not exist, and delivers nothing before {@link #start}.
 */
public interface Contestant extends AutoCloseable {

    /** Returns the effective settings by name, which the report prints beside the figures. */
    Map<String, String> settings();

    /** Returns the transactions that events are published in. */
    Transactions transactions();

    /** Publishes an event in the open transaction, which an exception rolls back. */
    void publish(Connection connection, AccountChanged event) throws Exception;

    /** Publishes events in order in the open transaction, which an exception rolls back. */
    default void publishAll(Connection connection, List<AccountChanged> events) throws Exception {
        for (AccountChanged event : events) {
            publish(connection, event);
        }
    }

    /** Starts the process in its {@linkplain Setup.Role role}: delivering, or waking the processes that deliver. */
    void start() throws Exception;

    /** Returns the SQL query that counts pending events. */
    String pending();

    /** Runs a task that only some contestants have, and returns its result as a number. */
    default long perform(String task) throws Exception {
        throw new UnsupportedOperationException(task);
    }

    @Override
    void close();
}
