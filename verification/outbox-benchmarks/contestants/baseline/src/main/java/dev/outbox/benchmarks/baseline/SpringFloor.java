package dev.outbox.benchmarks.baseline;

import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.benchmarks.worker.Transactions;
import dev.outbox.benchmarks.worker.spring.Application;
import java.sql.Connection;
import java.util.Map;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Floor of storing an event with the domain change in a Spring application: the INSERT of {@link InsertFloor} by a {@code JdbcClient}. */
public final class SpringFloor implements Contestant {

    private final Application application;
    private final JdbcClient jdbc;

    /** Starts the service. */
    public SpringFloor(Setup setup) {
        this.application = new Application(setup, Service.class, Map.of());
        this.jdbc = application.bean(JdbcClient.class);
        jdbc.sql(InsertFloor.CREATE).update();
    }

    @Override
    public Map<String, String> settings() {
        return application.settings();
    }

    @Override
    public Transactions transactions() {
        return application.transactions();
    }

    @Override
    public void publish(Connection connection, AccountChanged event) {
        jdbc.sql(InsertFloor.INSERT)
                .param(event.key())
                .param(Payload.write(event))
                .update();
    }

    @Override
    public void start() {}

    @Override
    public String pending() {
        return "SELECT count(*) FROM event";
    }

    @Override
    public void close() {
        application.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Service {}
}
