package dev.outbox.spring.autoconfigure;

import dev.outbox.HandlerConfigurationException;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Method with {@link OutboxHandler}, and the rules that it must obey. */
final class HandlerMethod {

    private static final Set<Propagation> SEPARATE =
            Set.of(Propagation.REQUIRES_NEW, Propagation.NOT_SUPPORTED, Propagation.NEVER);

    private final ConfigurableListableBeanFactory beanFactory;
    private final String beanName;
    private final Class<?> type;
    private final Method method;
    private final OutboxHandler annotation;

    HandlerMethod(
            ConfigurableListableBeanFactory beanFactory,
            String beanName,
            Class<?> type,
            Method method,
            OutboxHandler annotation) {
        this.beanFactory = beanFactory;
        this.beanName = beanName;
        this.type = type;
        this.method = method;
        this.annotation = annotation;
    }

    /** Converts the method to a handler. Throws a {@link HandlerConfigurationException} if it breaks a rule. */
    HandlerDefinition define() {
        checkCallable();
        checkSynchronous();
        checkJoinsTransaction();
        String id = annotation.id().isEmpty() ? beanName + "." + method.getName() : annotation.id();
        Set<String> eventTypes = Set.copyOf(Arrays.asList(annotation.eventTypes()));
        HandlerSignature signature = HandlerSignature.of(method, type);
        if (signature == null) {
            throw refused("has parameters that a handler cannot have; " + HandlerSignature.ALLOWED);
        }
        if (eventTypes.isEmpty() && !signature.namesEventType()) {
            throw refused(
                    "names no event type and has no payload class to derive it from; set eventTypes, or \"*\" for all");
        }
        HandlerDefinition definition = definition(id, eventTypes, signature);
        definition = definition.onDead(annotation.onDead()).aliases(annotation.aliases());
        return annotation.deduplicate() ? definition.deduplicating() : definition;
    }

    private HandlerDefinition definition(String id, Set<String> eventTypes, HandlerSignature signature) {
        BeanMethod target = new BeanMethod(beanFactory, beanName, method);
        return HandlerDefinition.withContext(
                id,
                eventTypes,
                signature.payloadType(),
                (payload, envelope, context) -> target.invoke(signature.arguments(payload, envelope, context)));
    }

    private void checkCallable() {
        if (Modifier.isStatic(method.getModifiers())) {
            throw refused("is static; a handler is a method of a bean");
        }
        if (Modifier.isPrivate(method.getModifiers())) {
            throw refused("is private, so a proxy of its bean cannot forward the call; make it package-private");
        }
        Class<?> seen = beanFactory.getType(beanName, false);
        if (seen == null || !SpringProxy.class.isAssignableFrom(seen)) {
            return;
        }
        if (Modifier.isFinal(method.getModifiers()) && !Proxy.isProxyClass(seen)) {
            throw refused("is final, so the proxy of its bean cannot forward the call; remove final");
        }
        try {
            AopUtils.selectInvocableMethod(method, seen);
        } catch (IllegalStateException ex) {
            throw refused("is hidden by the proxy of its bean: " + ex.getMessage());
        }
    }

    private void checkSynchronous() {
        if (method.getReturnType() != void.class) {
            throw refused("returns a value, which the outbox would ignore; " + HandlerSignature.ALLOWED);
        }
        if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class)) {
            throw refused("is @Async, so the outbox would record success before the work is done; remove @Async");
        }
    }

    private void checkJoinsTransaction() {
        Transactional own = AnnotatedElementUtils.findMergedAnnotation(method, Transactional.class);
        Transactional transactional =
                own != null ? own : AnnotatedElementUtils.findMergedAnnotation(type, Transactional.class);
        if (annotation.deduplicate() && transactional != null && SEPARATE.contains(transactional.propagation())) {
            throw refused(
                    "has deduplicate = true, which requires its work to join the outbox's transaction; remove propagation = "
                            + transactional.propagation());
        }
    }

    private HandlerConfigurationException refused(String reason) {
        return new HandlerConfigurationException(
                "@OutboxHandler method " + method.toGenericString() + " of bean '" + beanName + "' " + reason);
    }
}
