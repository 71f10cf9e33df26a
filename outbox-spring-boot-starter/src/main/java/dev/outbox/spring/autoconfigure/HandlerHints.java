package dev.outbox.spring.autoconfigure;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Includes the methods of handlers, and the payload classes that they receive, in a native image. */
final class HandlerHints implements BeanFactoryInitializationAotProcessor {

    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beanFactory) {
        Map<Method, Class<?>> methods = new LinkedHashMap<>();
        new HandlerDiscovery(beanFactory).forEachMethod(methods::put);
        return methods.isEmpty()
                ? null
                : (generation, code) -> {
                    ReflectionHints hints = generation.getRuntimeHints().reflection();
                    Set<Class<?>> payloads = new HashSet<>();
                    methods.forEach((method, type) -> {
                        registerCall(hints, method, type);
                        registerPayload(hints, payloadType(method, type), payloads);
                    });
                };
    }

    /** A JDK proxy is called by the method of its interface. */
    private static void registerCall(ReflectionHints hints, Method method, Class<?> type) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
        for (Class<?> implemented : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            Method declared =
                    ClassUtils.getMethodIfAvailable(implemented, method.getName(), method.getParameterTypes());
            if (declared != null) {
                hints.registerMethod(declared, ExecutableMode.INVOKE);
            }
        }
    }

    private static @Nullable Class<?> payloadType(Method method, Class<?> type) {
        HandlerSignature signature = HandlerSignature.of(method, type);
        return signature != null && signature.namesEventType() ? signature.payloadType() : null;
    }

    /** Jackson needs the components of a record, and any subclass that stands for a sealed one. */
    private void registerPayload(ReflectionHints hints, @Nullable Class<?> type, Set<Class<?>> seen) {
        if (type == null || type.isPrimitive() || type.getName().startsWith("java.") || !seen.add(type)) {
            return;
        }
        binding.registerReflectionHints(hints, type);
        Class<?>[] permitted = type.getPermittedSubclasses();
        if (permitted != null) {
            Arrays.stream(permitted).forEach((subclass) -> registerPayload(hints, subclass, seen));
        }
        if (type.isRecord()) {
            Arrays.stream(type.getRecordComponents())
                    .map((component) -> ResolvableType.forType(component.getGenericType()))
                    .forEach((component) -> registerComponent(hints, component, seen));
        }
    }

    private void registerComponent(ReflectionHints hints, ResolvableType component, Set<Class<?>> seen) {
        registerPayload(hints, component.resolve(), seen);
        if (component.isArray()) {
            registerComponent(hints, component.getComponentType(), seen);
        }
        for (ResolvableType argument : component.getGenerics()) {
            registerComponent(hints, argument, seen);
        }
    }
}
