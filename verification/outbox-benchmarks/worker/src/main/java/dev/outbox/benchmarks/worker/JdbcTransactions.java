package dev.outbox.benchmarks.worker;

import java.sql.Connection;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/** Transactions without a framework. */
public final class JdbcTransactions implements Transactions {

    private final DataSource dataSource;

    /** Creates the transactions of a pool. */
    public JdbcTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public void run(Work work, LongConsumer committed) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            try {
                work.on(connection);
                connection.commit();
                committed.accept(System.nanoTime());
            } catch (Exception ex) {
                connection.rollback();
                throw ex;
            }
        }
    }
}
