package dev.outbox.test.autoconfigure;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Switches the background pollers off in tests with {@link AutoConfigureOutbox @AutoConfigureOutbox}. */
final class OutboxContextCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        AutoConfigureOutbox annotation =
                TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureOutbox.class);
        return annotation == null ? null : new Customizer(annotation.database());
    }

    /** Part of the key of the context cache. */
    private record Customizer(TestDatabase database) implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
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
