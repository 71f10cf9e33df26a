package dev.outbox.chaos.liveness;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxPublisher;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.history.RecordedHandler;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.TestDatabase;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Instance of a service as its users run it: a Spring Boot application on the starter, with the defaults of Outbox, of the pool and of the
 * driver, behind a network of its own.
 */
final class Instance implements AutoCloseable {

    private final String name;
    private final TcpProxy network;
    private final FactWriter facts;
    private final ConfigurableApplicationContext context;

    /** Instance without anything of its own: handlers are registered from outside. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    Instance(
            String name, TestDatabase database, FactWriter facts, List<HandlerDefinition> handlers, String... options) {
        URI server = URI.create(database.jdbcUrl().substring("jdbc:".length()));
        this.name = name;
        this.network = TcpProxy.to(server.getHost(), server.getPort());
        this.facts = facts;
        List<String> all = new ArrayList<>(List.of(
                "--spring.datasource.url=jdbc:postgresql://localhost:" + network.port() + "/" + database.name()
                        + "?ApplicationName=" + name,
                "--spring.datasource.username=" + database.username(),
                "--spring.datasource.password=" + database.password(),
                // The build saves connections in other tests.
                "--spring.datasource.hikari.minimum-idle=10"));
        all.addAll(List.of(options));
        List<HandlerDefinition> recorded =
                handlers.stream().map((one) -> RecordedHandler.of(one, facts)).toList();
        this.context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .initializers((GenericApplicationContext fresh) ->
                        recorded.forEach((one) -> fresh.registerBean(one.id(), HandlerDefinition.class, () -> one)))
                .run(all.toArray(String[]::new));
        RecordedHandler.subscribed(facts, recorded);
    }

    String name() {
        return name;
    }

    TcpProxy network() {
        return network;
    }

    OutboxPublisher publisher() {
        return context.getBean(OutboxPublisher.class);
    }

    OutboxOperations operations() {
        return context.getBean(OutboxOperations.class);
    }

    PlatformTransactionManager transactions() {
        return context.getBean(PlatformTransactionManager.class);
    }

    JdbcTemplate jdbc() {
        return context.getBean(JdbcTemplate.class);
    }

    /** Heals the network, and stops in order. */
    @Override
    public void close() {
        network.heal();
        network.reset();
        context.close();
        network.close();
        facts.close();
    }
}
