package dev.outbox.benchmarks.modulith;

import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.benchmarks.worker.Transactions;
import dev.outbox.benchmarks.worker.spring.Application;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.env.Environment;
import org.springframework.modulith.events.IncompleteEventPublications;

/**
 * Service with Spring Modulith. The publishing process calls listeners right after the commit, on the application's
 * executor, in no order. A configured process resubmits outstanding events of a crashed one when it starts.
 */
public final class Modulith implements Contestant {

    private final Setup setup;
    private final Application application;
    private final ApplicationEventPublisher publisher;

    /** Starts the service. */
    public Modulith(Setup setup) {
        this.setup = setup;
        this.application = new Application(setup, Service.class, properties(setup));
        this.publisher = application.events();
    }

    private static Map<String, String> properties(Setup setup) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("spring.modulith.events.jdbc.schema-initialization.enabled", "true");
        if (setup.role().tuned()) {
            properties.put("spring.modulith.events.completion-mode", "delete");
            properties.put("spring.task.execution.pool.core-size", "16");
        }
        return properties;
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> settings = application.settings();
        Environment actual = application.bean(Environment.class);
        settings.put(
                "spring.modulith.events.completion-mode",
                actual.getProperty("spring.modulith.events.completion-mode", "update"));
        settings.put(
                "spring.task.execution.pool.core-size",
                actual.getProperty("spring.task.execution.pool.core-size", "8"));
        settings.put("failed publications resubmitted", setup.role().tuned() ? "every second" : "never");
        return settings;
    }

    @Override
    public Transactions transactions() {
        return application.transactions();
    }

    @Override
    public void publish(Connection connection, AccountChanged event) {
        publisher.publishEvent(event);
    }

    /** Resubmits events as a restarted service does with {@code republish-outstanding-events-on-restart}. */
    @Override
    public void start() {
        if (setup.role().delivers()) {
            application.bean(Delivering.class).begin();
            IncompleteEventPublications left = application.bean(IncompleteEventPublications.class);
            new Thread(() -> left.resubmitIncompletePublications((publication) -> true), "resubmission").start();
        }
    }

    @Override
    public String pending() {
        return "SELECT count(*) FROM event_publication WHERE completion_date IS NULL";
    }

    @Override
    public void close() {
        application.close();
    }
}
