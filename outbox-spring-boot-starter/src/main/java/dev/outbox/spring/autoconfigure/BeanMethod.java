package dev.outbox.spring.autoconfigure;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Calls a method of a bean through whatever proxies the bean has. The bean is looked up for every call: it is created by the
 * first one if it is lazy, and by each one if its scope says so.
 */
final class BeanMethod {

    private final BeanFactory beanFactory;
    private final String beanName;
    private final Method method;

    BeanMethod(BeanFactory beanFactory, String beanName, Method method) {
        this.beanFactory = beanFactory;
        this.beanName = beanName;
        this.method = method;
    }

    /** Calls the method, and throws what it throws. */
    void invoke(Object... arguments) throws Exception {
        Object bean = beanFactory.getBean(beanName);
        Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        ReflectionUtils.makeAccessible(invocable);
        try {
            invocable.invoke(bean, arguments);
        } catch (InvocationTargetException ex) {
            ReflectionUtils.rethrowException(ex.getTargetException());
        }
    }
}
