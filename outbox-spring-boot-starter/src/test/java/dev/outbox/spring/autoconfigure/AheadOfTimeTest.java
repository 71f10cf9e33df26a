package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.operations.OutboxOperationsAutoConfiguration;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.config.BeanDefinition;
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

/** An application that is processed ahead of time, and started from the generated code. Its classes have a class loader of their own. */
@CompileWithForkedClassLoader
@Tag("full")
class AheadOfTimeTest {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        TransactionAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        JdbcClientAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        OutboxAutoConfiguration.class,
        OutboxOperationsAutoConfiguration.class,
        MissingOutboxAutoConfiguration.class
    })
    @Import({Subscriptions.class, Licensing.class})
    static class Application {}

    @Test
    void publishesAndDelivers() {
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            TestPropertyValues properties = TestPropertyValues.of(
                    "spring.datasource.url=" + database.jdbcUrl(),
                    "spring.datasource.username=" + database.username(),
                    "spring.datasource.password=" + database.password(),
                    "spring.datasource.hikari.maximum-pool-size=5");
            TestGenerationContext generation = process(properties);

            TestCompiler.forSystem().with(generation).compile((compiled) -> {
                try (GenericApplicationContext context = new GenericApplicationContext()) {
                    properties.applyTo(context);
                    ApplicationContextInitializer<ConfigurableApplicationContext> initializer =
                            initializer(compiled.getInstance(ApplicationContextInitializer.class));
                    initializer.initialize(context);
                    context.refresh();

                    // Generated code creates the beans, not the class with the annotations.
                    BeanDefinition runtime = context.getBeanDefinition("outboxRuntime");
                    assertThat(runtime.getFactoryMethodName()).isNull();
                    context.getBean(Subscriptions.class).start("1", "gold");
                    await().untilAsserted(() ->
                            assertThat(context.getBean(Licensing.class).plans).containsExactly("1:gold"));
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

    @SuppressWarnings("unchecked") // generated for this type
    private static ApplicationContextInitializer<ConfigurableApplicationContext> initializer(
            ApplicationContextInitializer<?> generated) {
        return (ApplicationContextInitializer<ConfigurableApplicationContext>) generated;
    }
}
