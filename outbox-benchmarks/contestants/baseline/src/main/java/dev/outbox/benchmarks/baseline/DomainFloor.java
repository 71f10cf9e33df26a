package dev.outbox.benchmarks.baseline;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.JdbcTransactions;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.benchmarks.worker.Transactions;
import java.sql.Connection;
import java.util.Map;

/** The domain's transaction without an event: what publishing cannot be faster than. */
public final class DomainFloor implements Contestant {

    private final HikariDataSource pool;

    /**
     * Opens the pool.
     *
     * @param setup what to run with
     */
    public DomainFloor(Setup setup) {
        this.pool = Pool.open(setup);
    }

    @Override
    public Map<String, String> settings() {
        return Map.of();
    }

    @Override
    public Transactions transactions() {
        return new JdbcTransactions(pool);
    }

    @Override
    public void publish(Connection connection, AccountChanged event) {}

    @Override
    public void start() {}

    @Override
    public String pending() {
        return "SELECT 0";
    }

    @Override
    public void close() {
        pool.close();
    }
}
