package dev.outbox.benchmarks.baseline;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.JdbcTransactions;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.benchmarks.worker.Transactions;
import java.sql.Connection;
import java.util.Map;

/** Floor of publishing: the domain transaction without an event. */
public final class DomainFloor implements Contestant {

    private final HikariDataSource pool;

    /** Opens the pool. */
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
