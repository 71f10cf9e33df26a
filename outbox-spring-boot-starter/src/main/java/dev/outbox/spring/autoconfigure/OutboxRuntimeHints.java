package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.schema.OutboxMigrations;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Includes the migrations and the version in a native image. */
final class OutboxRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern(OutboxMigrations.LOCATION + "/*");
        hints.resources().registerPattern("META-INF/outbox.properties");
    }
}
