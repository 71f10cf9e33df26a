package dev.outbox.test.autoconfigure;

import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out the components that {@link OutboxTest @OutboxTest} does not name. */
final class OutboxTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<OutboxTest> {

    OutboxTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
    }

    @Override
    protected Set<Class<?>> getComponentIncludes() {
        return Set.of(getAnnotation().getClassArray("value"));
    }
}
