package dev.outbox.kafka.autoconfigure;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches an application that has something enabled by name below a prefix. */
abstract class OnNames extends SpringBootCondition {

    private final String prefix;

    private OnNames(String prefix) {
        this.prefix = prefix;
    }

    /** Matches an application with at least one route. */
    static final class Routes extends OnNames {
        Routes() {
            super(ConfiguredRoutes.PREFIX);
        }
    }

    /** Matches an application with at least one inbox. */
    static final class Inboxes extends OnNames {
        Inboxes() {
            super(ConfiguredInboxes.PREFIX);
        }
    }

    record Named(@DefaultValue("true") boolean enabled) {}

    /** Returns the names that are not disabled. */
    static Set<String> names(Environment environment, String prefix) {
        Binder binder = Binder.get(environment);
        Map<String, Named> named =
                binder.bind(prefix, Bindable.mapOf(String.class, Named.class)).orElse(Map.of());
        Set<String> names = new TreeSet<>(binder.bind(prefix, Bindable.mapOf(String.class, Object.class))
                .orElse(Map.of())
                .keySet());
        named.forEach((name, one) -> {
            if (!one.enabled()) {
                names.remove(name);
            }
        });
        return names;
    }

    /** Returns what is not disabled, in the order of the names. */
    static <T> Map<String, T> enabled(Map<String, T> named, Predicate<T> isEnabled) {
        return named.entrySet().stream()
                .filter((entry) -> isEnabled.test(entry.getValue()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (one, same) -> one, TreeMap::new));
    }

    @Override
    public final ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("Kafka");
        Set<String> names = names(context.getEnvironment(), prefix);
        return names.isEmpty()
                ? ConditionOutcome.noMatch(message.didNotFind("properties").items(prefix))
                : ConditionOutcome.match(message.found(prefix).items(names));
    }
}
