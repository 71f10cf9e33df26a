package dev.outbox.spring.autoconfigure;

import dev.outbox.HandlerConfigurationException;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxHandler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Finds the handlers among the beans of a context by their types, without creating a bean that does not exist yet:
 * {@link OutboxHandler} methods, and {@link HandlerDefinition} beans.
 */
final class HandlerDiscovery {

    private static final Logger log = LoggerFactory.getLogger(HandlerDiscovery.class);

    private final ConfigurableListableBeanFactory beanFactory;

    HandlerDiscovery(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /**
     * Returns the handlers.
     *
     * @throws HandlerConfigurationException if a method cannot be a handler, or two handlers have one id
     */
    List<HandlerDefinition> find() {
        Map<String, Found> handlers = new LinkedHashMap<>();
        candidates()
                .forEach((beanName, type) -> handlerMethods(type)
                        .forEach((method, annotation) -> add(
                                handlers,
                                new HandlerMethod(beanFactory, beanName, type, method, annotation).define(),
                                method + " of bean '" + beanName + "'")));
        beanFactory
                .getBeansOfType(HandlerDefinition.class)
                .forEach((beanName, definition) -> add(handlers, definition, "bean '" + beanName + "'"));
        return handlers.values().stream().map(Found::definition).toList();
    }

    /** Returns where handlers are declared, whether they can be handlers or not. */
    List<String> places() {
        List<String> places = new ArrayList<>();
        candidates()
                .forEach((beanName, type) -> handlerMethods(type)
                        .keySet()
                        .forEach((method) -> places.add(beanName + "." + method.getName())));
        places.addAll(List.of(beanFactory.getBeanNamesForType(HandlerDefinition.class, true, false)));
        return places;
    }

    private Map<String, Class<?>> candidates() {
        Map<String, Class<?>> candidates = new LinkedHashMap<>();
        for (String beanName : beanFactory.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(beanName) ? null : targetClass(beanName);
            if (type != null && AnnotationUtils.isCandidateClass(type, OutboxHandler.class)) {
                candidates.put(beanName, type);
            }
        }
        return candidates;
    }

    private static void add(Map<String, Found> handlers, HandlerDefinition definition, String place) {
        Found other = handlers.putIfAbsent(definition.id(), new Found(definition, place));
        if (other != null) {
            throw new HandlerConfigurationException("two handlers have the id '" + definition.id() + "':\n    "
                    + other.place() + "\n    " + place + "\nids are stored with deliveries and must be unique");
        }
    }

    private static Map<Method, OutboxHandler> handlerMethods(Class<?> type) {
        return MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<OutboxHandler>)
                (method) -> AnnotatedElementUtils.findMergedAnnotation(method, OutboxHandler.class));
    }

    private @Nullable Class<?> targetClass(String beanName) {
        try {
            Class<?> type = AutoProxyUtils.determineTargetClass(beanFactory, beanName);
            if (type != null && ScopedObject.class.isAssignableFrom(type)) {
                Class<?> behind =
                        AutoProxyUtils.determineTargetClass(beanFactory, ScopedProxyUtils.getTargetBeanName(beanName));
                return behind != null ? behind : type;
            }
            return type;
        } catch (RuntimeException | LinkageError ex) {
            // A bean whose class cannot be loaded is somebody else's problem, and fails where it is created.
            log.debug("the type of bean '{}' is unknown, so it is not searched for handlers", beanName, ex);
            return null;
        }
    }

    private record Found(HandlerDefinition definition, String place) {}
}
