package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxHandler;
import dev.outbox.Outboxed;
import dev.outbox.internal.payload.PayloadClasses;
import dev.outbox.spring.internal.AnnotatedClasses;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import tools.jackson.databind.JsonNode;

/** Runtime hints for the methods that the outbox calls, for the payload classes that they take, and for classes marked {@link Outboxed}. */
final class HandlerHints implements BeanFactoryInitializationAotProcessor {

    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beanFactory) {
        HandlerDiscovery discovery = new HandlerDiscovery(beanFactory);
        List<HandlerMethod> handlers = discovery.handlerMethods();
        List<Method> deadLetters = discovery.deadLetterMethods();
        List<Class<?>> marked = AnnotatedClasses.of(beanFactory, Outboxed.class);
        return handlers.isEmpty() && deadLetters.isEmpty() && marked.isEmpty()
                ? null
                : (generation, code) -> {
                    RuntimeHints hints = generation.getRuntimeHints();
                    deadLetters.forEach((method) -> hints.reflection().registerMethod(method, ExecutableMode.INVOKE));
                    handlers.forEach((handler) -> register(hints, handler));
                    binding.registerReflectionHints(hints.reflection(), marked.toArray(Type[]::new));
                };
    }

    private void register(RuntimeHints hints, HandlerMethod handler) {
        if (handler.called().adopted() != null) {
            hints.proxies().registerJdkProxy(OutboxHandler.class);
        }
        hints.reflection().registerMethod(handler.called().method(), ExecutableMode.INVOKE);
        Class<?> payload = handler.defineWithoutTimeout().payloadType();
        if (payload != null && payload != JsonNode.class) {
            binding.registerReflectionHints(
                    hints.reflection(), PayloadClasses.of(payload).concrete().toArray(Type[]::new));
        }
    }
}
