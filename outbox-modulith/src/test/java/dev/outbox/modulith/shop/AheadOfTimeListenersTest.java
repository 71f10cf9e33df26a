package dev.outbox.modulith.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxHandler;
import dev.outbox.modulith.autoconfigure.OutboxModulithAutoConfiguration;
import dev.outbox.modulith.shop.Shop.Mail;
import dev.outbox.modulith.shop.Shop.OrderPlaced;
import dev.outbox.modulith.shop.Shop.Orders;
import dev.outbox.modulith.shop.Shop.ParcelSent;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.spring.autoconfigure.events.OutboxSpringEventsAutoConfiguration;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.scheduling.annotation.EnableAsync;

/** Listeners as handlers in an application that is processed ahead of time, and started from the generated code. */
@CompileWithForkedClassLoader
@Tag("full")
class AheadOfTimeListenersTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        TransactionAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        JdbcClientAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        OutboxAutoConfiguration.class,
        OutboxSpringEventsAutoConfiguration.class,
        OutboxModulithAutoConfiguration.class
    })
    @Import({Orders.class, Mail.class})
    static class Application {}

    @Test
    void publishesAndDelivers() {
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            TestPropertyValues properties = TestPropertyValues.of(
                    "spring.datasource.url=" + database.jdbcUrl(),
                    "spring.datasource.username=" + database.username(),
                    "spring.datasource.password=" + database.password(),
                    "spring.datasource.hikari.maximum-pool-size=5",
                    "outbox.modulith.listeners=true");
            TestGenerationContext generation = process(properties);
            RuntimeHints hints = generation.getRuntimeHints();
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Mail.class, "confirm"))
                    .accepts(hints);
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(ParcelSent.class, "parcel"))
                    .accepts(hints);
            assertThat(RuntimeHintsPredicates.proxies().forInterfaces(OutboxHandler.class))
                    .accepts(hints);

            TestCompiler.forSystem().with(generation).compile((compiled) -> {
                try (GenericApplicationContext context = new GenericApplicationContext()) {
                    properties.applyTo(context);
                    initializer(compiled.getInstance(ApplicationContextInitializer.class))
                            .initialize(context);
                    context.refresh();

                    context.getBean(Orders.class).publish(new OrderPlaced("1", 1), new ParcelSent("p"));
                    await().untilAsserted(() -> assertThat(Mail.RECEIVED)
                            .containsExactlyInAnyOrder(new OrderPlaced("1", 1), new ParcelSent("p")));
                }
            });
        }
    }

    private static TestGenerationContext process(TestPropertyValues properties) {
        TestGenerationContext generation = new TestGenerationContext();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            properties.applyTo(context);
            context.register(Application.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
            generation.writeGeneratedContent();
        }
        return generation;
    }

    @SuppressWarnings("unchecked")
    private static ApplicationContextInitializer<ConfigurableApplicationContext> initializer(
            ApplicationContextInitializer<?> generated) {
        return (ApplicationContextInitializer<ConfigurableApplicationContext>) generated;
    }
}
