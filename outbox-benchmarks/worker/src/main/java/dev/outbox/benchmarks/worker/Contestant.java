package dev.outbox.benchmarks.worker;

import java.sql.Connection;
import java.util.List;
import java.util.Map;

/**
 * A way to get events from transactions to handlers, used as an application would use it. An implementation has a public
 * constructor that takes a {@link Setup}; it creates the tables if they do not exist, and delivers nothing before
 * {@link #start}.
 */
public interface Contestant extends AutoCloseable {

    /**
     * Returns what it runs with, as read from what actually runs where that can be asked.
     *
     * @return the settings by name, printed beside the figures
     */
    Map<String, String> settings();

    /**
     * Returns how the application runs its transactions.
     *
     * @return the transactions that events are published in
     */
    Transactions transactions();

    /**
     * Publishes an event for every handler.
     *
     * @param connection the connection of the open transaction
     * @param event the event
     * @throws Exception if that fails; the transaction is rolled back
     */
    void publish(Connection connection, AccountChanged event) throws Exception;

    /**
     * Publishes many events in one transaction, in their order.
     *
     * @param connection the connection of the open transaction
     * @param events the events
     * @throws Exception if that fails; the transaction is rolled back
     */
    default void publishAll(Connection connection, List<AccountChanged> events) throws Exception {
        for (AccountChanged event : events) {
            publish(connection, event);
        }
    }

    /**
     * Starts what the process is {@linkplain Setup.Role there for}: delivering, or waking those that deliver.
     *
     * @throws Exception if that fails
     */
    void start() throws Exception;

    /**
     * Returns the query for what is stored and not done.
     *
     * @return SQL that gives one row with the number of deliveries (of events, where all handlers share a row) that are left
     */
    String pending();

    /**
     * Does something that only some contestants can do.
     *
     * @param duty its name
     * @return what came of it, as a number
     * @throws Exception if that fails
     */
    default long perform(String duty) throws Exception {
        throw new UnsupportedOperationException(duty);
    }

    @Override
    void close();
}
