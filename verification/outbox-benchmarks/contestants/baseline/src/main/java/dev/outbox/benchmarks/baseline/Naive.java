package dev.outbox.benchmarks.baseline;

import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.Setup;
import java.util.List;
import java.util.Map;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Service with the {@link NaivePoller}, which polls every second, or continuously at tuned settings. */
public final class Naive extends Contestant {

    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS event (
                id           bigserial   NOT NULL PRIMARY KEY,
                account      integer     NOT NULL,
                payload      text        NOT NULL,
                created_at   timestamptz NOT NULL DEFAULT now(),
                processed_at timestamptz
            );
            CREATE INDEX IF NOT EXISTS event_unprocessed ON event (id) WHERE processed_at IS NULL;
            """;

    private static final String INSERT = """
            INSERT INTO event (account, payload)
            VALUES (?, ?)
            """;

    private final JdbcTemplate jdbc;

    /** Starts the service. */
    public Naive(Setup setup) {
        super(setup, Service.class, Map.of("naive.delay", setup.tuned() ? "1ms" : "1s"));
        this.jdbc = bean(JdbcTemplate.class);
        jdbc.execute(CREATE);
    }

    @Override
    public void publish(AccountChanged event) {
        jdbc.update(INSERT, event.key(), Payload.write(event));
    }

    @Override
    public void publishAll(List<AccountChanged> events) {
        jdbc.batchUpdate(INSERT, events, events.size(), (insert, event) -> {
            insert.setInt(1, event.key());
            insert.setString(2, Payload.write(event));
        });
    }

    @Override
    public void start() {
        if (setup.role().delivers()) {
            bean(NaivePoller.class).start();
        }
    }

    @Override
    public String pending() {
        return "SELECT count(*) FROM event WHERE processed_at IS NULL";
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Service {

        @Bean
        NaivePoller poller(Setup setup, JdbcTemplate jdbc, PlatformTransactionManager manager) {
            return new NaivePoller(setup, jdbc, new TransactionTemplate(manager));
        }
    }
}
