package dev.outbox.benchmarks.worker;

import java.sql.Connection;
import java.util.function.LongConsumer;

/** How an application runs a transaction. Safe for use by many threads. */
@FunctionalInterface
public interface Transactions {

    /**
     * Runs work in a transaction of its own.
     *
     * @param work what to do
     * @param committed told the time ({@link System#nanoTime}) right after the commit, before anybody else hears of it
     * @throws Exception if the work or the commit fails; the transaction is rolled back
     */
    void run(Work work, LongConsumer committed) throws Exception;

    /** What is done in a transaction. */
    @FunctionalInterface
    interface Work {

        /**
         * Does it.
         *
         * @param connection the transaction's connection
         * @throws Exception if that fails
         */
        void on(Connection connection) throws Exception;
    }
}
