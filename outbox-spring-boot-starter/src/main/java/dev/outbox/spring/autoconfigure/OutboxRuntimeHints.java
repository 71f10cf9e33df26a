package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.internal.schema.UnpooledDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Includes in a native image the migrations, the version, the names of the properties, and the URL and credentials of pools. */
final class OutboxRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern(OutboxMigrations.LOCATION + "/*");
        hints.resources().registerPattern("db/outbox/*/migration/*");
        hints.resources().registerPattern("META-INF/outbox.properties");
        ReflectionHints reflection = hints.reflection();
        new BindingReflectionHintsRegistrar().registerReflectionHints(reflection, OutboxProperties.class);
        // Names with @Name, which differ from those of their components.
        for (Class<?> nested : OutboxProperties.class.getDeclaredClasses()) {
            reflection.registerType(nested, MemberCategory.ACCESS_DECLARED_FIELDS);
        }
        UnpooledDataSource.POOLS.forEach(
                (pool) -> reflection.registerTypeIfPresent(classLoader, pool, MemberCategory.INVOKE_PUBLIC_METHODS));
    }
}
