package dev.outbox.spring.autoconfigure;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

/** Calls a method of a bean through its proxies. Looks the bean up for every call, because it may be lazy or scoped. */
final class BeanMethod {

    private final BeanFactory beanFactory;
    private final String beanName;
    private final Method method;

    BeanMethod(BeanFactory beanFactory, String beanName, Method method) {
        this.beanFactory = beanFactory;
        this.beanName = beanName;
        this.method = method;
    }

    /** Calls the method and throws its exceptions unwrapped. */
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
