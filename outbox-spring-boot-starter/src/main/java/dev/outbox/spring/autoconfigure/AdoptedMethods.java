package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxHandler;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Methods of one payload with an annotation of another library that become handlers: the outbox calls them, that library does not. */
public interface AdoptedMethods {

    /** Returns the annotation of the methods. */
    Class<? extends Annotation> annotation();

    /** Returns what {@link OutboxHandler} would say of a method, or {@code null} if the other library still calls it. */
    @Nullable
    OutboxHandler adopt(Method method);

    /** Calls a method of a bean on this thread and in the transaction of the outbox, whatever its annotations say. */
    void call(Object bean, Method method, Object payload) throws Throwable;
}
