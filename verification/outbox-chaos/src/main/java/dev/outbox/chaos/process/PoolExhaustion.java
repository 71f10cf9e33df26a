package dev.outbox.chaos.process;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** Takes every connection of the pool for a while, as a part of an application does that leaks them. */
final class PoolExhaustion {

    private final DataSource pool;

    PoolExhaustion(DataSource pool) {
        this.pool = pool;
    }

    void exhaust(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        List<Connection> taken = new ArrayList<>();
        while (System.nanoTime() < end) {
            try {
                taken.add(pool.getConnection());
            } catch (SQLException e) {
                LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            }
        }
        for (Connection connection : taken) {
            try {
                connection.close();
            } catch (SQLException e) {
                // It broke meanwhile, and the pool drops it.
            }
        }
    }
}
