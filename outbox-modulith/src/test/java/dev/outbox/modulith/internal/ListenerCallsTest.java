package dev.outbox.modulith.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.modulith.events.ApplicationModuleListener;

class ListenerCallsTest {

    private static final Executor REJECTING = (task) -> {
        throw new RejectedExecutionException();
    };

    static class Listener {

        final List<Object> received = new ArrayList<>();

        @ApplicationModuleListener
        void on(String event) {
            received.add(event);
        }
    }

    private final Listener listener = new Listener();
    private final ListenerCalls calls = new ListenerCalls(new StaticListableBeanFactory());

    /** So is a scoped proxy of an asynchronous bean. */
    @Test
    void callsTargetOfNestedProxies() throws Throwable {
        ProxyFactory outer = new ProxyFactory(asynchronous(listener).getProxy());
        outer.setProxyTargetClass(true);
        outer.addAdvice((MethodInterceptor) (invocation) -> {
            listener.received.add("advice");
            return invocation.proceed();
        });

        calls.call(outer.getProxy(), method(), "event");

        assertThat(listener.received).containsExactly("advice", "event");
    }

    @Test
    void refusesProxyWhoseAdviceCannotBeRemoved() {
        ProxyFactory opaque = asynchronous(listener);
        opaque.setOpaque(true);

        assertThatIllegalStateException()
                .isThrownBy(() -> calls.call(opaque.getProxy(), method(), "event"))
                .withMessage("The proxy of " + Listener.class.getName()
                        + " is opaque, so @Async cannot be removed; make it not opaque");
        assertThat(listener.received).isEmpty();
    }

    private static ProxyFactory asynchronous(Object target) {
        ProxyFactory factory = new ProxyFactory(target);
        factory.setProxyTargetClass(true);
        factory.addAdvice(new AsyncExecutionInterceptor(REJECTING));
        return factory;
    }

    private static Method method() throws NoSuchMethodException {
        return Listener.class.getDeclaredMethod("on", String.class);
    }
}
