package dev.outbox.benchmarks.console;

import dev.outbox.HandlerDefinition;
import dev.outbox.benchmarks.outbox.Outbox;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Setup;
import java.util.Map;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** {@link Outbox} with a console. The task {@code port} returns the port of its web server. */
public final class ConsoleOutbox extends Outbox {

    /** Starts the service. */
    public ConsoleOutbox(Setup setup) {
        super(
                setup,
                Console.class,
                Map.of("server.port", "0", "outbox.console.enabled", "true", "outbox.console.insecure", "true"));
    }

    @Override
    public long perform(String task) throws Exception {
        return task.equals("port")
                ? bean(Environment.class).getRequiredProperty("local.server.port", Integer.class)
                : super.perform(task);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Console {

        /** Keeps the pollers from starting with the context, before the controller starts them. */
        @Bean
        static BeanDefinitionRegistryPostProcessor startedByTheController() {
            return (beans) -> beans.removeBeanDefinition("outboxLifecycle");
        }

        @Bean
        HandlerDefinition handler(Setup setup) {
            return HandlerDefinition.of(
                    "handler",
                    AccountChanged.class,
                    (event, envelope) -> setup.handling().handle(event));
        }
    }
}
