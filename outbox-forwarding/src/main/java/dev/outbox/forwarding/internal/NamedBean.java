package dev.outbox.forwarding.internal;

import dev.outbox.OutboxConfigurationException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;

/** Bean that a property names: without it, the start fails with the name of the property, which Spring does not know. */
public final class NamedBean {

    private NamedBean() {}

    /** Returns the bean. */
    public static <T> T get(BeanFactory beans, String property, String name, Class<T> type) {
        try {
            return beans.getBean(name, type);
        } catch (NoSuchBeanDefinitionException ex) {
            throw new OutboxConfigurationException(
                    property + " names the bean " + name + ", which does not exist",
                    "declare a " + type.getSimpleName() + " with this name, or correct the property",
                    ex);
        } catch (BeanNotOfRequiredTypeException ex) {
            throw new OutboxConfigurationException(
                    property + " names the bean " + name + ", which is a "
                            + ex.getActualType().getName(),
                    "name a " + type.getSimpleName(),
                    ex);
        }
    }
}
