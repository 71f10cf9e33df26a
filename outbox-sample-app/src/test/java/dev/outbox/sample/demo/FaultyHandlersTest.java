package dev.outbox.sample.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxHandler;
import dev.outbox.sample.SampleTest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.ReflectionUtils;

/** The interceptor reaches every handler, whatever its class looks like. */
@SampleTest
class FaultyHandlersTest {

    @Autowired
    private ApplicationContext context;

    @Autowired
    private Faults faults;

    @Autowired
    private JdbcClient jdbc;

    @AfterEach
    void endFaults() {
        faults.end();
    }

    @Test
    void everyHandlerCanBeMadeToFail() {
        Map<String, Call> handlers = handlers();

        assertThat(handlers.keySet())
                .containsExactlyInAnyOrderElementsOf(jdbc.sql("SELECT id FROM events.outbox_handler")
                        .query(String.class)
                        .list());
        assertThat(handlers).allSatisfy((id, handler) -> {
            faults.put(new HandlerFault(id, 100, 0, false));
            assertThatThrownBy(handler::run)
                    .isInstanceOf(InjectedFaultException.class)
                    .hasMessage(id + " was asked to fail");
        });
    }

    /** The handlers by their ids, to be called without an event: one that is reached by it throws something else. */
    private Map<String, Call> handlers() {
        Map<String, Call> handlers = new TreeMap<>();
        for (Object bean : context.getBeansOfType(Object.class, false, false).values()) {
            MethodIntrospector.selectMethods(
                            AopUtils.getTargetClass(bean), (MethodIntrospector.MetadataLookup<OutboxHandler>)
                                    (method) -> AnnotatedElementUtils.findMergedAnnotation(method, OutboxHandler.class))
                    .forEach((method, handler) -> handlers.put(handler.id(), () -> call(bean, method)));
        }
        return handlers;
    }

    private static void call(Object bean, Method method) throws Throwable {
        Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        ReflectionUtils.makeAccessible(invocable);
        try {
            invocable.invoke(bean, new Object[invocable.getParameterCount()]);
        } catch (InvocationTargetException ex) {
            throw ex.getTargetException();
        }
    }

    private interface Call {

        void run() throws Throwable;
    }
}
