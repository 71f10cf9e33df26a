package dev.outbox.benchmarks.worker;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Outbox library, used as a Spring Boot application would use it, with the {@link Setup} as a bean. An implementation has a public
 * constructor that takes a setup; it creates the tables if they do not exist, and delivers nothing before {@link #start}.
 */
public abstract class Contestant implements AutoCloseable {

    /** Setup of the process. */
    protected final Setup setup;

    private final Map<String, String> settings = new LinkedHashMap<>();
    private final ConfigurableApplicationContext context;
    private final TransactionTemplate transaction;

    /**
     * Starts an application with the contestant's configuration class and properties; those of the setup take
     * precedence.
     */
    protected Contestant(Setup setup, Class<?> configuration, Map<String, String> properties) {
        this.setup = setup;
        settings.putAll(properties);
        settings.putAll(setup.role().properties());
        settings.put(
                "spring.datasource.hikari.maximum-pool-size",
                Integer.toString(setup.role().pool()));
        Map<String, Object> all = new LinkedHashMap<>(settings);
        all.put("spring.datasource.url", setup.url());
        all.put("logging.level.root", "warn");
        this.context = new SpringApplicationBuilder(configuration)
                .bannerMode(Banner.Mode.OFF)
                .registerShutdownHook(false)
                .properties(all)
                .initializers((starting) -> starting.getBeanFactory().registerSingleton("setup", setup))
                .run();
        this.transaction = new TransactionTemplate(bean(PlatformTransactionManager.class));
    }

    /** Returns a bean. */
    protected final <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Returns the configured properties, without those of the connection. */
    final Map<String, String> settings() {
        return settings;
    }

    /** Runs work in a new transaction, and passes the time right after the commit to a consumer before other callbacks run. */
    final void inTransaction(Runnable work, LongConsumer committed) {
        transaction.executeWithoutResult((status) -> {
            TransactionSynchronizationManager.registerSynchronization(new FirstToKnow(committed));
            work.run();
        });
    }

    /** Runs before the contestant's callbacks after a commit. */
    private record FirstToKnow(LongConsumer committed) implements TransactionSynchronization {
        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            committed.accept(System.nanoTime());
        }
    }

    /** Publishes an event in the open transaction, which an exception rolls back. */
    public abstract void publish(AccountChanged event);

    /** Publishes events in order in the open transaction, which an exception rolls back. */
    public void publishAll(List<AccountChanged> events) {
        events.forEach(this::publish);
    }

    /** Starts the process in its {@linkplain Role role}: delivering, or waking the processes that deliver. */
    public abstract void start();

    /** Returns the SQL query that counts pending events. */
    public abstract String pending();

    /** Runs a task that only some contestants have, and returns its result as a number. */
    public long perform(String task) throws Exception {
        throw new UnsupportedOperationException(task);
    }

    @Override
    public void close() {
        context.close();
    }
}
