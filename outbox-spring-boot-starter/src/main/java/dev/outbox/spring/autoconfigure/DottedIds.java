package dev.outbox.spring.autoconfigure;

import dev.outbox.spring.autoconfigure.OutboxProperties.Handler;
import dev.outbox.spring.autoconfigure.OutboxProperties.Stream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * Binds {@code outbox.handlers.licensing.grant.timeout} to the handler {@code licensing.grant}. Without brackets, Spring Boot would take
 * {@code licensing} for the id and ignore the rest.
 */
final class DottedIds {

    private static final Logger log = LoggerFactory.getLogger(DottedIds.class);

    /** The keys of a handler. */
    static final PropertyKeys HANDLERS = PropertyKeys.of("outbox.handlers", Handler.class);

    /** The keys of a stream. */
    static final PropertyKeys STREAMS = PropertyKeys.of("outbox.streams", Stream.class);

    private final Environment environment;

    private DottedIds(Environment environment) {
        this.environment = environment;
    }

    /** Adds the entries that have dots in their ids. */
    static OutboxProperties bind(OutboxProperties properties, Environment environment) {
        DottedIds ids = new DottedIds(environment);
        return new OutboxProperties(
                properties.enabled(),
                properties.schema(),
                properties.migrate(),
                properties.directUrl(),
                properties.poller(),
                properties.retry(),
                ids.bind(STREAMS, Stream.class, properties.streams()),
                ids.bind(HANDLERS, Handler.class, properties.handlers()),
                properties.retention(),
                properties.publisher(),
                properties.metrics(),
                properties.health(),
                properties.registry(),
                properties.endpoint(),
                properties.tracing(),
                properties.springEvents());
    }

    private <T> Map<String, T> bind(PropertyKeys keys, Class<T> type, Map<String, T> bound) {
        Map<String, ConfigurationPropertyName> dotted = new HashMap<>();
        Set<String> plain = new HashSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names) {
                names.stream()
                        .forEach((name) -> keys.entryOf(name, source).ifPresent((entry) -> {
                            if (entry.dotted()) {
                                dotted.putIfAbsent(entry.id(), entry.name());
                            } else {
                                plain.add(entry.id());
                            }
                        }));
            }
        }
        Map<String, T> all = new HashMap<>(bound);
        dotted.forEach((id, name) -> {
            String first =
                    name.getElement(keys.prefix().getNumberOfElements(), ConfigurationPropertyName.Form.ORIGINAL);
            if (!plain.contains(first)) {
                all.remove(first);
            }
        });
        Binder binder = Binder.get(environment);
        dotted.forEach((id, name) -> {
            if (bound.containsKey(id)) {
                log.warn(
                        "{} has no effect, because {}[{}] is also set; write both in brackets",
                        name,
                        keys.prefix(),
                        id);
            } else {
                binder.bind(name, Bindable.of(type)).ifBound((entry) -> all.put(id, entry));
            }
        });
        return all;
    }
}
