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

/** Matches an application with at least one inbox. */
final class OnInboxes extends SpringBootCondition {

    /** Returns the names of the inboxes. */
    static Set<String> names(Environment environment) {
        return Binder.get(environment)
                .bind(ConfiguredInboxes.PREFIX, Bindable.mapOf(String.class, Object.class))
                .orElse(Map.of())
                .keySet();
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("Outbox inboxes of Kafka");
        Set<String> names = names(context.getEnvironment());
        return names.isEmpty()
                ? ConditionOutcome.noMatch(message.didNotFind("properties").items(ConfiguredInboxes.PREFIX))
                : ConditionOutcome.match(message.found("inbox", "inboxes").items(names));
    }
}
