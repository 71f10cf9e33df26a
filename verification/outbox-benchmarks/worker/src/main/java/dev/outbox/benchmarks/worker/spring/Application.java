package dev.outbox.benchmarks.worker.spring;

import dev.outbox.benchmarks.worker.Setup;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;

/** Spring Boot application with the contestant's configuration and the {@link Setup} as a bean. */
public final class Application implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final Map<String, String> settings = new LinkedHashMap<>();

    /**
     * Starts an application with the contestant's configuration class and properties; those of the setup take
     * precedence.
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

    /** Returns a bean. */
    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Returns the transactions of the application. */
    public SpringTransactions transactions() {
        return new SpringTransactions(bean(DataSource.class), bean(PlatformTransactionManager.class));
    }

    /** Returns the configured properties, without those of the connection; the contestant completes them. */
    public Map<String, String> settings() {
        return settings;
    }

    @Override
    public void close() {
        context.close();
    }
}
