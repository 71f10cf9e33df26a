package dev.outbox.spring.autoconfigure;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
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
 * Finds {@link OutboxHandler}, {@link OutboxDeadLetter} and {@linkplain AdoptedMethods adopted} methods and {@link HandlerDefinition} beans. Looks at the types of beans
 * only, and creates no bean with such methods.
 */
final class HandlerDiscovery {

    private static final Logger log = LoggerFactory.getLogger(HandlerDiscovery.class);

    private static final List<Class<? extends Annotation>> ANNOTATIONS =
            List.of(OutboxHandler.class, OutboxDeadLetter.class);

    private final ConfigurableListableBeanFactory beanFactory;

    HandlerDiscovery(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** Returns the handlers. Throws an {@link OutboxConfigurationException} if a method breaks a rule or two share an id. */
    List<HandlerDefinition> find() {
        Map<String, Found> handlers = new LinkedHashMap<>();
        DeadLetterMethods deadLetters = new DeadLetterMethods();
        candidates().forEach((beanName, type) -> {
            handlers(beanName, type)
                    .forEach((handler) ->
                            add(handlers, handler.define(), handler.called().toString()));
            annotated(type, OutboxDeadLetter.class)
                    .forEach((method, annotation) -> deadLetters.add(
                            new CalledMethod(beanFactory, beanName, type, method, OutboxDeadLetter.class),
                            annotation.value()));
        });
        beanFactory
                .getBeansOfType(HandlerDefinition.class)
                .forEach((beanName, definition) -> add(handlers, definition, "bean '" + beanName + "'"));
        checkAliases(handlers);
        List<HandlerDefinition> found = handlers.values().stream()
                .map((handler) -> deadLetters.attachTo(handler.definition()))
                .toList();
        deadLetters.requireAllAttached(found);
        return found;
    }

    /** Returns the names of all handler declarations, valid or not. */
    List<String> declarations() {
        List<String> declarations = new ArrayList<>();
        candidates()
                .forEach((beanName, type) -> annotated(type, OutboxHandler.class)
                        .keySet()
                        .forEach((method) -> declarations.add(beanName + "." + method.getName())));
        declarations.addAll(List.of(beanFactory.getBeanNamesForType(HandlerDefinition.class, true, false)));
        return declarations;
    }

    /** Returns all methods that become handlers, valid or not. */
    List<HandlerMethod> handlerMethods() {
        List<HandlerMethod> methods = new ArrayList<>();
        candidates().forEach((beanName, type) -> methods.addAll(handlers(beanName, type)));
        return methods;
    }

    /** Returns all methods for dead letters, valid or not. */
    List<Method> deadLetterMethods() {
        List<Method> methods = new ArrayList<>();
        candidates()
                .forEach((beanName, type) ->
                        methods.addAll(annotated(type, OutboxDeadLetter.class).keySet()));
        return methods;
    }

    private List<HandlerMethod> handlers(String beanName, Class<?> type) {
        List<HandlerMethod> handlers = new ArrayList<>();
        annotated(type, OutboxHandler.class)
                .forEach((method, annotation) -> handlers.add(new HandlerMethod(
                        new CalledMethod(beanFactory, beanName, type, method, OutboxHandler.class), annotation)));
        for (AdoptedMethods adopted : adopted()) {
            annotated(type, adopted.annotation()).keySet().forEach((method) -> {
                OutboxHandler handler = adopted.adopt(method);
                if (handler != null) {
                    handlers.add(new HandlerMethod(
                            new CalledMethod(beanFactory, beanName, type, method, adopted.annotation(), adopted),
                            handler));
                }
            });
        }
        return handlers;
    }

    private Collection<AdoptedMethods> adopted() {
        return beanFactory.getBeansOfType(AdoptedMethods.class, true, false).values();
    }

    private Map<String, Class<?>> candidates() {
        Map<String, Class<?>> candidates = new LinkedHashMap<>();
        List<Class<? extends Annotation>> annotations = new ArrayList<>(ANNOTATIONS);
        adopted().forEach((adopted) -> annotations.add(adopted.annotation()));
        for (String beanName : beanFactory.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(beanName) ? null : targetClass(beanName);
            if (type != null && AnnotationUtils.isCandidateClass(type, annotations)) {
                candidates.put(beanName, type);
            }
        }
        return candidates;
    }

    private static void add(Map<String, Found> handlers, HandlerDefinition definition, String place) {
        Found other = handlers.putIfAbsent(definition.id(), new Found(definition, place));
        if (other != null) {
            throw new OutboxConfigurationException(
                    "two handlers have the id '" + definition.id() + "':\n    " + other.place() + "\n    " + place
                            + "\nids are stored with deliveries and must be unique; give each handler its own");
        }
    }

    private static void checkAliases(Map<String, Found> handlers) {
        Map<String, Found> taken = new HashMap<>(handlers);
        for (Found handler : handlers.values()) {
            for (String alias : handler.definition().aliases()) {
                Found other = taken.putIfAbsent(alias, handler);
                if (other != null) {
                    throw new OutboxConfigurationException("the id or alias '" + alias + "' is used twice:\n    "
                            + other.place() + "\n    " + handler.place()
                            + "\neach takes over what is stored under it; remove the alias of one");
                }
            }
        }
    }

    private static <A extends Annotation> Map<Method, A> annotated(Class<?> type, Class<A> annotation) {
        return MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<A>)
                (method) -> AnnotatedElementUtils.findMergedAnnotation(method, annotation));
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
            // A bean whose class cannot be loaded fails when it is created, with a better message.
            log.debug("Cannot determine the type of bean '{}', so it is not searched for handlers", beanName, ex);
            return null;
        }
    }

    private record Found(HandlerDefinition definition, String place) {}
}
