package dev.outbox.benchmarks.worker.spring;

import dev.outbox.benchmarks.worker.Setup;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;

/** A Spring Boot application that is configured as its contestant says, with the {@link Setup} as a bean. */
public final class Application implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final Map<String, String> settings = new LinkedHashMap<>();

    /**
     * Starts an application.
     *
     * @param setup the database, and the properties that come before all others
     * @param configuration the configuration class
     * @param properties the contestant's properties
     */
    public Application(Setup setup, Class<?> configuration, Map<String, String> properties) {
        settings.putAll(properties);
        settings.putAll(setup.properties());
        settings.put(
                "spring.datasource.hikari.maximum-pool-size",
                Integer.toString(setup.database().pool()));
        Map<String, Object> all = new LinkedHashMap<>(settings);
        all.put("spring.datasource.url", setup.database().url());
        all.put("spring.datasource.username", setup.database().user());
        all.put("spring.datasource.password", setup.database().password());
        all.put("logging.level.root", "warn");
        this.context = new SpringApplicationBuilder(configuration)
                .bannerMode(Banner.Mode.OFF)
                .registerShutdownHook(false)
                .properties(all)
                .initializers((starting) -> starting.getBeanFactory().registerSingleton("setup", setup))
                .run();
    }

    /**
     * Returns a bean.
     *
     * @param type its type
     * @param <T> its type
     * @return the bean
     */
    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /**
     * Returns what publishes the application's events.
     *
     * @return the publisher
     */
    public ApplicationEventPublisher events() {
        return context;
    }

    /**
     * Returns the transactions of the application.
     *
     * @return the transactions
     */
    public SpringTransactions transactions() {
        return new SpringTransactions(bean(DataSource.class), bean(PlatformTransactionManager.class));
    }

    /**
     * Returns what was configured, to be completed by its contestant.
     *
     * @return the properties by name, without those of the connection
     */
    public Map<String, String> settings() {
        return settings;
    }

    @Override
    public void close() {
        context.close();
    }
}
