package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxHandler;
import dev.outbox.internal.payload.PayloadClasses;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import tools.jackson.databind.JsonNode;

/** Runtime hints for the methods that the outbox calls, and for the payload classes that they take. */
final class HandlerHints implements BeanFactoryInitializationAotProcessor {

    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beanFactory) {
        List<CalledMethod> methods = new HandlerDiscovery(beanFactory).methods();
        return methods.isEmpty()
                ? null
                : (generation, code) -> methods.forEach(
                        (called) -> register(generation.getRuntimeHints().reflection(), called));
    }

    private void register(ReflectionHints hints, CalledMethod called) {
        hints.registerMethod(called.method(), ExecutableMode.INVOKE);
        OutboxHandler handler = AnnotatedElementUtils.findMergedAnnotation(called.method(), OutboxHandler.class);
        if (handler == null) {
            return;
        }
        Class<?> payload = new HandlerMethod(called, handler).define().payloadType();
        if (payload != null && payload != JsonNode.class) {
            binding.registerReflectionHints(
                    hints, PayloadClasses.of(payload).concrete().toArray(Type[]::new));
        }
    }
}
