package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.ReflectionUtils;

/** Bean method that the outbox calls because of an annotation, and the rules that it must obey. */
record CalledMethod(
        ConfigurableListableBeanFactory beanFactory,
        String beanName,
        Class<?> type,
        Method method,
        Class<? extends Annotation> annotation,
        @Nullable AdoptedMethods adopted) {

    private static final Set<Propagation> SEPARATE =
            Set.of(Propagation.REQUIRES_NEW, Propagation.NOT_SUPPORTED, Propagation.NEVER);

    private static final Set<String> SCOPES_OF_REQUESTS = Set.of("request", "session", "websocket");

    CalledMethod(
            ConfigurableListableBeanFactory beanFactory,
            String beanName,
            Class<?> type,
            Method method,
            Class<? extends Annotation> annotation) {
        this(beanFactory, beanName, type, method, annotation, null);
    }

    /** Checks that the outbox can call the method, and that its work is done when it returns. */
    void check(String allowed) {
        checkScope();
        checkTransactionManager();
        checkCallable();
        checkSynchronous(allowed);
    }

    /** The outbox calls the method outside of any request. */
    private void checkScope() {
        String target = ScopedProxyUtils.getTargetBeanName(beanName);
        String name = beanFactory.containsBeanDefinition(target) ? target : beanName;
        String scope = beanFactory.containsBeanDefinition(name)
                ? beanFactory.getMergedBeanDefinition(name).getScope()
                : null;
        if (scope != null && SCOPES_OF_REQUESTS.contains(scope)) {
            throw refused("has scope " + scope
                    + ", and the outbox calls it outside of any request; make the bean a singleton");
        }
    }

    private void checkTransactionManager() {
        Transactional mark = transactional();
        if (mark == null || mark.transactionManager().isEmpty()) {
            return;
        }
        String wanted = String.valueOf(beanFactory.resolveEmbeddedValue(mark.transactionManager()));
        String[] managers =
                BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, TransactionManager.class, true, false);
        if (!beanFactory.containsBean(wanted)
                && Arrays.stream(managers)
                        .noneMatch((manager) ->
                                BeanFactoryAnnotationUtils.isQualifierMatch(wanted::equals, manager, beanFactory))) {
            throw refused("is @Transactional(\"" + wanted + "\"), and the transaction managers are "
                    + Arrays.toString(managers) + "; correct the name");
        }
    }

    private @Nullable Transactional transactional() {
        Transactional own = AnnotatedElementUtils.findMergedAnnotation(method, Transactional.class);
        return own != null ? own : AnnotatedElementUtils.findMergedAnnotation(type, Transactional.class);
    }

    private void checkCallable() {
        if (Modifier.isStatic(method.getModifiers())) {
            throw refused("is static, but the outbox calls a method of a bean; remove static");
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

    private void checkSynchronous(String allowed) {
        if (KotlinDetector.isSuspendingFunction(method)) {
            throw refused(
                    "is a suspend function; remove suspend: the outbox calls the method after the commit, on a thread of its own");
        }
        if (method.getReturnType() != void.class) {
            throw refused("returns a value, which the outbox would ignore", allowed);
        }
        if (adopted != null) {
            return;
        }
        for (AnnotatedElement element : List.of(method, type)) {
            MergedAnnotation<Async> async = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
                    .get(Async.class);
            if (async.isPresent()) {
                String name = "@" + async.getRoot().getType().getSimpleName();
                throw refused("is " + (name.equals("@Async") ? name : name + ", and thereby @Async")
                        + ", so the outbox would record success before the work is done; remove " + name
                        + ": the outbox calls the method after the commit, on a thread of its own");
            }
        }
    }

    /** Checks that the method does its work in the transaction of the outbox. */
    void checkJoinsTransaction(String cause) {
        Transactional transactional = adopted == null ? transactional() : null;
        if (transactional != null && SEPARATE.contains(transactional.propagation())) {
            throw refused(cause + ", which requires its work to join the outbox's transaction; remove propagation = "
                    + transactional.propagation());
        }
    }

    /**
     * Calls the method through the proxies of its bean, and throws its exceptions unwrapped. Looks the bean up for every call, because it
     * may be lazy or scoped.
     */
    void invoke(@Nullable Object... arguments) throws Exception {
        Object bean = beanFactory.getBean(beanName);
        if (adopted != null) {
            invoke(adopted, bean, Objects.requireNonNull(arguments[0]));
            return;
        }
        Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        ReflectionUtils.makeAccessible(invocable);
        try {
            invocable.invoke(bean, arguments);
        } catch (InvocationTargetException ex) {
            ReflectionUtils.rethrowException(ex.getTargetException());
        }
    }

    private void invoke(AdoptedMethods adopted, Object bean, Object payload) throws Exception {
        try {
            adopted.call(bean, method, payload);
        } catch (Throwable ex) {
            ReflectionUtils.rethrowException(ex);
        }
    }

    /** Returns an exception whose message ends with the remedy, after a semicolon. */
    OutboxConfigurationException refused(String reason) {
        return new OutboxConfigurationException(described(reason));
    }

    OutboxConfigurationException refused(String reason, String remedy) {
        return new OutboxConfigurationException(described(reason), remedy, null);
    }

    private String described(String reason) {
        return "@" + annotation.getSimpleName() + " method " + method.toGenericString() + " of bean '" + beanName + "' "
                + reason;
    }

    @Override
    public String toString() {
        return method + " of bean '" + beanName + "'";
    }
}
