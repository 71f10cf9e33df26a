package dev.outbox.modulith.autoconfigure;

import java.lang.reflect.Type;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.modulith.events.Externalized;
import org.springframework.util.ClassUtils;

/** Runtime hints for the classes of externalized events in the packages of the application: they are written, found by name, and read. */
final class ExternalizedHints implements BeanFactoryInitializationAotProcessor {

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beanFactory) {
        if (!AutoConfigurationPackages.has(beanFactory)) {
            return null;
        }
        ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false);
        scanner.addIncludeFilter(new AnnotationTypeFilter(Externalized.class, true, true));
        Type[] types = AutoConfigurationPackages.get(beanFactory).stream()
                .flatMap((name) -> scanner.findCandidateComponents(name).stream())
                .map(BeanDefinition::getBeanClassName)
                .filter(Objects::nonNull)
                .map((name) -> ClassUtils.resolveClassName(name, beanFactory.getBeanClassLoader()))
                .toArray(Type[]::new);
        return (generation, code) -> new BindingReflectionHintsRegistrar()
                .registerReflectionHints(generation.getRuntimeHints().reflection(), types);
    }
}
