package dev.outbox.console.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Includes the templates, the style sheet and the scripts of the console in a native image. */
final class ConsoleRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources()
                .registerPattern("dev/outbox/console/assets/*")
                .registerPattern("dev/outbox/console/templates/*")
                .registerPattern("META-INF/maven/org.webjars.npm/*/pom.properties")
                .registerPattern("META-INF/resources/webjars/htmx.org/*/dist/htmx.min.js")
                .registerPattern("META-INF/resources/webjars/chart.js/*/dist/chart.umd.min.js");
    }
}
