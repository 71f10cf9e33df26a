package dev.outbox.spring.autoconfigure.events;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.outbox.InvalidEventException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.springframework.context.ApplicationEvent;
import org.springframework.core.ResolvableTypeProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Properties that Spring's types add to an event and that a payload must not contain. */
final class SpringProperties {

    private SpringProperties() {}

    /** Throws an {@link InvalidEventException} if the payload would contain an object of Spring or of this process. */
    static void requireIgnored(Class<?> type) {
        if (ApplicationEvent.class.isAssignableFrom(type) && !isIgnored(type, "source")) {
            throw new InvalidEventException(
                    type.getName() + " is @Outboxed and extends ApplicationEvent, so the payload"
                            + " would contain its source, an object of this process; publish a record, which needs no superclass,"
                            + " or add @JsonIgnoreProperties({\"source\", \"timestamp\"}) and a @JsonCreator that sets a source");
        }
        if (ResolvableTypeProvider.class.isAssignableFrom(type) && !isIgnored(type, "resolvableType")) {
            throw new InvalidEventException(
                    type.getName() + " is @Outboxed and implements ResolvableTypeProvider, so the"
                            + " payload would contain its resolvableType; add @JsonIgnore to getResolvableType()");
        }
    }

    private static boolean isIgnored(Class<?> type, String property) {
        Method getter = ClassUtils.getMethodIfAvailable(type, "get" + StringUtils.capitalize(property));
        return (getter != null && AnnotatedElementUtils.hasAnnotation(getter, JsonIgnore.class))
                || MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).stream(JsonIgnoreProperties.class)
                        .anyMatch((ignored) ->
                                Arrays.asList(ignored.getStringArray("value")).contains(property));
    }
}
