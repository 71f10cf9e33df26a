package dev.outbox.kafka.autoconfigure;

import java.util.Map;
import java.util.Set;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches an application that has something configured by name below a prefix. */
abstract class OnNames extends SpringBootCondition {

    private final String prefix;
    private final String singular;
    private final String plural;

    OnNames(String prefix, String singular, String plural) {
        this.prefix = prefix;
        this.singular = singular;
        this.plural = plural;
    }

    static Set<String> names(Environment environment, String prefix) {
        return Binder.get(environment)
                .bind(prefix, Bindable.mapOf(String.class, Object.class))
                .orElse(Map.of())
                .keySet();
    }

    @Override
    public final ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("Kafka " + plural + " of the outbox");
        Set<String> names = names(context.getEnvironment(), prefix);
        return names.isEmpty()
                ? ConditionOutcome.noMatch(message.didNotFind("properties").items(prefix))
                : ConditionOutcome.match(message.found(singular, plural).items(names));
    }
}
