package dev.outbox.modulith.externalization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.internal.EventMapping;
import dev.outbox.modulith.autoconfigure.OutboxModulithAutoConfiguration;
import dev.outbox.modulith.externalization.Shop.OrderPlaced;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.spring.autoconfigure.events.UnmarkedEvents;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.modulith.events.config.EventExternalizationAutoConfiguration;

/** When the outbox externalizes, and when the start fails. */
class ExternalizationModeTest {

    private static final String MODE = "spring.modulith.events.externalization.mode=outbox";

    private static TestDatabase database;

    @AutoConfigurationPackage(basePackageClasses = Shop.class)
    static class Packages {}

    @BeforeAll
    static void createDatabase() {
        database = TestPostgres.shared().newDatabase();
    }

    @AfterAll
    static void dropDatabase() {
        database.close();
    }

    @Test
    void otherModesAreLeftToModulith() {
        application()
                .run((context) -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(UnmarkedEvents.class)
                        .doesNotHaveBean(EventMapping.class));
    }

    @Test
    void disabledExternalizationStaysDisabled() {
        application()
                .withPropertyValues(MODE, "spring.modulith.events.externalization.enabled=false")
                .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(UnmarkedEvents.class));
    }

    @Test
    void secondImplementationFailsTheStart() {
        String other = "org.springframework.modulith.events.namastack.SomeAutoConfiguration";
        assertRefused(
                application().withBean(other, Object.class, Object::new),
                "has a second implementation, " + other
                        + ", which would send each event once more; remove its dependency, or" + " outbox-modulith");
    }

    @Test
    void olderModulithFailsTheStart() {
        assertRefused(
                application()
                        .withClassLoader(
                                new FilteredClassLoader("org.springframework.modulith.events.ExternalizationMode")),
                "needs Spring Modulith 2.1; this version does not have the mode; upgrade it, or mark the events @Outboxed");
    }

    @Test
    void disabledSpringEventsFailTheStart() {
        assertRefused(
                application().withPropertyValues("outbox.spring-events.enabled=false"),
                "needs Spring events, and outbox.spring-events.enabled is false; remove one of the properties");
    }

    private static void assertRefused(ApplicationContextRunner application, String reason) {
        application
                .withPropertyValues(MODE)
                .run((context) -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessage(MODE + " " + reason));
    }

    @Test
    void classesOfEventsCanBeFoundAndReadInNativeImage() {
        application().withPropertyValues(MODE).run((context) -> {
            TestGenerationContext generation = new TestGenerationContext();
            ConfigurableListableBeanFactory beans =
                    context.getSourceApplicationContext().getBeanFactory();
            context.getBean("outboxExternalizedHints", BeanFactoryInitializationAotProcessor.class)
                    .processAheadOfTime(beans)
                    .applyTo(generation, null);

            assertThat(generation.getRuntimeHints())
                    .matches(reflection()
                            .onType(OrderPlaced.class)
                            .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS));
        });
    }

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withUserConfiguration(Packages.class)
                .withConfiguration(AutoConfigurations.of(
                        JacksonAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        EventExternalizationAutoConfiguration.class,
                        OutboxModulithAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password());
    }
}
