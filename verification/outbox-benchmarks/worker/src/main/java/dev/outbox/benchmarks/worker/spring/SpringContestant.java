package dev.outbox.benchmarks.worker.spring;

import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.benchmarks.worker.Transactions;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;

/** Contestant that is a Spring Boot application, with the {@link Setup} as a bean. */
public abstract class SpringContestant implements Contestant {

    /** Setup of the process. */
    protected final Setup setup;

    private final ConfigurableApplicationContext context;
    private final Map<String, String> settings = new LinkedHashMap<>();

    /**
     * Starts an application with the contestant's configuration class and properties; those of the setup take
     * precedence.
     */
    protected SpringContestant(Setup setup, Class<?> configuration, Map<String, String> properties) {
        this.setup = setup;
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
    protected final <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public final Transactions transactions() {
        return new SpringTransactions(bean(DataSource.class), bean(PlatformTransactionManager.class));
    }

    /** Returns the configured properties, without those of the connection; a contestant completes them. */
    @Override
    public Map<String, String> settings() {
        return new LinkedHashMap<>(settings);
    }

    @Override
    public void close() {
        context.close();
    }
}
