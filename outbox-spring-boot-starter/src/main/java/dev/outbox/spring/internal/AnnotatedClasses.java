package dev.outbox.spring.internal;

import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Objects;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/** Finds classes of events in the packages of the application: no handler names a class that is only published. */
public final class AnnotatedClasses {

    private AnnotatedClasses() {}

    /** Returns the classes with an annotation, which they may inherit. */
    public static List<Class<?>> of(ConfigurableBeanFactory beanFactory, Class<? extends Annotation> annotation) {
        if (!AutoConfigurationPackages.has(beanFactory)) {
            return List.of();
        }
        ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false);
        scanner.addIncludeFilter(new AnnotationTypeFilter(annotation, true, true));
        return AutoConfigurationPackages.get(beanFactory).stream()
                .flatMap((name) -> scanner.findCandidateComponents(name).stream())
                .map(BeanDefinition::getBeanClassName)
                .filter(Objects::nonNull)
                .<Class<?>>map((name) -> ClassUtils.resolveClassName(name, beanFactory.getBeanClassLoader()))
                .toList();
    }
}
