package dev.outbox.modulith.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for Spring Modulith.
 *
 * @param listeners Whether the outbox calls module listeners of stored events, as handlers, instead of Spring Modulith.
 * @param publications What happens once, after the start, to the incomplete publications of Spring Modulith. Nothing if not set.
 */
@ConfigurationProperties("outbox.modulith")
public record OutboxModulithProperties(
        @DefaultValue("false") boolean listeners, @Nullable Publications publications) {

    /** What happens to incomplete publications. */
    public enum Publications {
        /** The log tells how many would become events, and which would stay. */
        COUNT,
        /** They become events. */
        CONVERT
    }
}
