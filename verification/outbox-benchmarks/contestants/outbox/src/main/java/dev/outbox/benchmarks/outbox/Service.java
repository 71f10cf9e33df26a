package dev.outbox.benchmarks.outbox;

import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.EnvelopeHandler;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Pause;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.listener.OutboxListener;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Beans of the service: the handler, and a listener that records claims. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Service {

    static final String HANDLER = "handler";
    private static final Set<String> OTHER_TYPES = Set.of("Other", "Other2", "Other3", "Other4", "Other5");

    /** Keeps the pollers from starting with the context, before the controller starts them. */
    @Bean
    static BeanDefinitionRegistryPostProcessor startedByTheController() {
        return (beans) -> beans.removeBeanDefinition("outboxLifecycle");
    }

    /** Adds handlers for the harm tests: some that do nothing, and one whose calls time out. */
    @Bean
    static BeanDefinitionRegistryPostProcessor otherHandlers(Environment environment) {
        int idle = environment.getProperty("benchmark.idle-handlers", Integer.class, 0);
        int timeout = environment.getProperty("benchmark.slow-handler", Integer.class, 0);
        return (beans) -> {
            for (int handler = 0; handler < idle; handler++) {
                add(beans, "idle-" + handler, (event) -> {});
            }
            if (timeout > 0) {
                add(beans, "slow", (event) -> timeOut(Duration.ofMillis(timeout)));
            }
        };
    }

    private static void add(BeanDefinitionRegistry beans, String id, EnvelopeHandler handler) {
        beans.registerBeanDefinition(
                id,
                new RootBeanDefinition(HandlerDefinition.class, () -> HandlerDefinition.of(id, OTHER_TYPES, handler)));
    }

    private static void timeOut(Duration timeout) throws IOException {
        Pause.of(timeout);
        throw new IOException("timed out");
    }

    @Bean
    HandlerDefinition handler(Setup setup) {
        return HandlerDefinition.of(
                HANDLER,
                AccountChanged.class,
                (event, envelope) -> setup.handling().handle(event));
    }

    @Bean
    OutboxListener claims(Setup setup) {
        return new OutboxListener() {

            @Override
            public void claimed(String stream, Duration duration, int events) {
                long now = System.nanoTime();
                setup.claims().add(new Entry(events, 0, 0, now - duration.toNanos(), now));
            }
        };
    }
}
