package dev.outbox.spring.autoconfigure;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the handlers on first use, and reports handlers that it found too late and properties of unknown handlers. */
final class DiscoveredHandlers implements Supplier<Collection<HandlerDefinition>>, HandledPayloads {

    private static final Logger log = LoggerFactory.getLogger(DiscoveredHandlers.class);

    private final HandlerDiscovery discovery;
    private final Set<String> configured;
    private @Nullable List<HandlerDefinition> found;
    private boolean checked;
    private volatile Map<Class<?>, String> payloads = Map.of();

    DiscoveredHandlers(HandlerDiscovery discovery, Set<String> configured) {
        this.discovery = discovery;
        this.configured = configured;
    }

    @Override
    public synchronized Collection<HandlerDefinition> get() {
        List<HandlerDefinition> handlers = found;
        if (handlers == null) {
            handlers = discovery.find();
            found = handlers;
            reportUnknown(ids(handlers));
        }
        return handlers;
    }

    private void reportUnknown(Set<String> known) {
        Set<String> unknown = new TreeSet<>(configured);
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            log.warn("outbox.handlers configures {}, but this application has only the handlers {}", unknown, known);
        }
    }

    /** Publishing during startup finds the handlers before the types of all beans are known: fails if one was missed. */
    synchronized void checkComplete() {
        List<HandlerDefinition> early = found;
        if (!checked && early != null) {
            Set<String> missed = ids(discovery.find());
            missed.removeAll(ids(early));
            if (!missed.isEmpty()) {
                throw new OutboxConfigurationException(
                        "an event was published while the application was starting, before"
                                + " the handlers " + missed + " could be found; publish later, for example in an"
                                + " ApplicationRunner, or declare the handler class as the return type of its @Bean method");
            }
        }
        checked = true;
        Map<Class<?>, String> taken = new HashMap<>();
        for (HandlerDefinition handler : get()) {
            Class<?> payload = handler.payloadType();
            if (payload != null) {
                taken.put(payload, handler.id());
            }
        }
        payloads = taken;
    }

    @Override
    public Optional<String> handlerOf(Class<?> payload) {
        return Optional.ofNullable(payloads.get(payload));
    }

    private static Set<String> ids(Collection<HandlerDefinition> handlers) {
        return handlers.stream().map(HandlerDefinition::id).collect(Collectors.toCollection(TreeSet::new));
    }
}
