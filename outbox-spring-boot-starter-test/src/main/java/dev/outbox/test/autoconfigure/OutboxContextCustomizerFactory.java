package dev.outbox.test.autoconfigure;

import java.util.List;
import java.util.Map;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Switches the background pollers off in tests with {@link AutoConfigureOutbox @AutoConfigureOutbox}, and lets Spring's message on a missing
 * bean name the annotation in all tests.
 */
final class OutboxContextCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        AutoConfigureOutbox annotation =
                TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureOutbox.class);
        return annotation == null
                ? new WithoutOutbox()
                : new Customizer(
                        annotation.database(), TestContextAnnotationUtils.hasAnnotation(testClass, OutboxTest.class));
    }

    /** Equal for all tests, so that it divides no contexts. */
    private record WithoutOutbox() implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            context.addBeanFactoryPostProcessor((beans) -> MissingBeanAdvice.addTo(beans, false, false));
        }
    }

    /** Part of the key of the context cache. */
    private record Customizer(TestDatabase database, boolean slice) implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            context.addBeanFactoryPostProcessor((beans) -> MissingBeanAdvice.addTo(beans, true, slice));
            if (database == TestDatabase.EMBEDDED) {
                // They belong to the database of the application.
                TestPropertyValues.of(Map.of("outbox.direct-url", "", "outbox.migrate", "true"))
                        .applyTo(context);
            }
            TestPropertyValues.of(Map.of(
                            "outbox.poller.enabled",
                            "false",
                            "outbox.poller.notify",
                            "false",
                            // Spring Boot would replace the DataSource by H2 in its slices.
                            "spring.test.database.replace",
                            "NONE",
                            AutoConfigureOutbox.DATABASE,
                            database.name()))
                    .applyTo(context);
        }
    }
}
