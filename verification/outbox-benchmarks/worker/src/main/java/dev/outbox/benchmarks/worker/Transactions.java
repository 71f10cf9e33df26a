package dev.outbox.benchmarks.worker;

import java.sql.Connection;
import java.util.function.LongConsumer;

/** Thread-safe transactions of an application. */
@FunctionalInterface
public interface Transactions {

    /**
     * Runs work in a new transaction, and passes the time right after the commit to a consumer before other callbacks
     * run.
     */
    void run(Work work, LongConsumer committed) throws Exception;

    /** Work of a transaction. */
    @FunctionalInterface
    interface Work {

        /** Does the work; an exception rolls the transaction back. */
        void on(Connection connection) throws Exception;
    }
}
