package dev.outbox.modulith.internal;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AdvisedSupport;
import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.modulith.events.support.CompletionRegisteringAdvisor;
import org.springframework.transaction.interceptor.DelegatingTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;

/**
 * Calls listeners on this thread and in this transaction: without {@code @Async} and Spring Modulith's record of
 * completion, and in an existing transaction instead of a new one. Other advice of the bean applies.
 */
final class ListenerCalls {

    private final BeanFactory beans;

    ListenerCalls(BeanFactory beans) {
        this.beans = beans;
    }

    @Nullable
    Object call(Object bean, Method method, Object event) throws Throwable {
        if (!(bean instanceof Advised proxy)) {
            if (AopUtils.isAopProxy(bean)) {
                throw new IllegalStateException(
                        "The proxy of " + AopUtils.getTargetClass(bean).getName()
                                + " is opaque, so @Async cannot be removed; make it not opaque");
            }
            return AopUtils.invokeJoinpointUsingReflection(bean, method, new Object[] {event});
        }
        TargetSource source = proxy.getTargetSource();
        Object target = Objects.requireNonNull(source.getTarget());
        try {
            return new Invocation(bean, target, method, event, advice(proxy, method, target.getClass())).proceed();
        } finally {
            if (!source.isStatic()) {
                source.releaseTarget(target);
            }
        }
    }

    private List<Object> advice(Advised proxy, Method method, Class<?> type) {
        AdvisedSupport kept = new AdvisedSupport();
        for (Advisor advisor : proxy.getAdvisors()) {
            if (!(advisor instanceof CompletionRegisteringAdvisor)) {
                kept.addAdvisor(advisor);
            }
        }
        return kept.getInterceptorsAndDynamicInterceptionAdvice(method, type).stream()
                .filter((advice) -> !(advice instanceof AsyncExecutionInterceptor))
                .map((advice) -> advice instanceof TransactionInterceptor original ? joining(original) : advice)
                .toList();
    }

    private TransactionInterceptor joining(TransactionInterceptor original) {
        TransactionAttributeSource attributes = Objects.requireNonNull(original.getTransactionAttributeSource());
        TransactionInterceptor joining = new TransactionInterceptor();
        joining.setTransactionManager(original.getTransactionManager());
        joining.setBeanFactory(beans);
        joining.setTransactionAttributeSource((method, type) -> {
            TransactionAttribute attribute = attributes.getTransactionAttribute(method, type);
            return attribute == null ? null : new Joining(attribute);
        });
        return joining;
    }

    private static final class Joining extends DelegatingTransactionAttribute {

        Joining(TransactionAttribute attribute) {
            super(attribute);
        }

        @Override
        public int getPropagationBehavior() {
            int behavior = super.getPropagationBehavior();
            return behavior == PROPAGATION_REQUIRES_NEW ? PROPAGATION_REQUIRED : behavior;
        }
    }

    /** The target of a scoped proxy may be a proxy too. */
    private final class Invocation extends ReflectiveMethodInvocation {

        Invocation(Object proxy, Object target, Method method, Object event, List<Object> advice) {
            super(proxy, target, method, new Object[] {event}, target.getClass(), advice);
        }

        @Override
        protected @Nullable Object invokeJoinpoint() throws Throwable {
            return ListenerCalls.this.call(
                    Objects.requireNonNull(getThis()), getMethod(), Objects.requireNonNull(getArguments()[0]));
        }
    }
}
