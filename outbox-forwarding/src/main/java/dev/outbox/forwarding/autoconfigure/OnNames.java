package dev.outbox.forwarding.autoconfigure;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Names that an application has chosen below a prefix, as a condition. */
public final class OnNames extends SpringBootCondition {

    /** Returns the names below a prefix. */
    public static Set<String> names(Environment environment, String prefix) {
        return new TreeSet<>(Binder.get(environment)
                .bind(prefix, Bindable.mapOf(String.class, Object.class))
                .orElse(Map.of())
                .keySet());
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        String prefix = metadata.getAnnotations().get(ConditionalOnNames.class).getString(MergedAnnotation.VALUE);
        ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnNames.class);
        Set<String> names = names(context.getEnvironment(), prefix);
        return names.isEmpty()
                ? ConditionOutcome.noMatch(message.didNotFind("properties").items(prefix))
                : ConditionOutcome.match(message.found(prefix).items(names));
    }
}
