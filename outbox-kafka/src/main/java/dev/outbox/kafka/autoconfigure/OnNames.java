package dev.outbox.kafka.autoconfigure;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches an application that names something below a prefix. */
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

    /** Returns the names below a prefix. */
    static Set<String> names(Environment environment, String prefix) {
        return new TreeSet<>(Binder.get(environment)
                .bind(prefix, Bindable.mapOf(String.class, Object.class))
                .orElse(Map.of())
                .keySet());
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
