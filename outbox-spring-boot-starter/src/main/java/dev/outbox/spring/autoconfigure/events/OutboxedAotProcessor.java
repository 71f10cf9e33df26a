package dev.outbox.spring.autoconfigure.events;

import dev.outbox.InvalidEventException;
import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedType;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.core.type.filter.AssignableTypeFilter;
import org.springframework.core.type.filter.TypeFilter;
import org.springframework.util.ClassUtils;

/** Registers hints for the marked classes in the packages of the application: their accessors, and their binding to JSON. */
final class OutboxedAotProcessor implements BeanFactoryInitializationAotProcessor {

    private static final Logger log = LoggerFactory.getLogger(OutboxedAotProcessor.class);

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beanFactory) {
        boolean enabled = beanFactory.getBeanNamesForType(OutboxedEventListener.class, true, false).length > 0;
        if (!enabled || !AutoConfigurationPackages.has(beanFactory)) {
            return null;
        }
        List<Class<?>> types = find(AutoConfigurationPackages.get(beanFactory), beanFactory.getBeanClassLoader());
        return (context, code) -> types.forEach((type) -> register(context.getRuntimeHints(), type));
    }

    private static List<Class<?>> find(List<String> packages, @Nullable ClassLoader classLoader) {
        Set<String> names = new TreeSet<>();
        for (String marked : scan(packages, new AnnotationTypeFilter(Outboxed.class, true, false))) {
            names.add(marked);
            names.addAll(scan(packages, new AssignableTypeFilter(ClassUtils.resolveClassName(marked, classLoader))));
        }
        return names.stream()
                .<Class<?>>map((name) -> ClassUtils.resolveClassName(name, classLoader))
                .filter((type) -> !Modifier.isAbstract(type.getModifiers()))
                .toList();
    }

    private static Set<String> scan(List<String> packages, TypeFilter filter) {
        ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false) {
            @Override
            protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
                return !definition.getMetadata().isAnnotation();
            }
        };
        scanner.addIncludeFilter(filter);
        Set<String> found = new TreeSet<>();
        packages.forEach((name) -> scanner.findCandidateComponents(name).stream()
                .map((definition) -> String.valueOf(definition.getBeanClassName()))
                .forEach(found::add));
        return found;
    }

    private static void register(RuntimeHints hints, Class<?> type) {
        try {
            OutboxedType outboxed = OutboxedType.of(type);
            if (outboxed != null) {
                outboxed.accessors()
                        .forEach((accessor) -> hints.reflection().registerMethod(accessor, ExecutableMode.INVOKE));
                new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), type);
            }
        } catch (InvalidEventException ex) {
            log.warn("{} gets no runtime hints, because it cannot be published", type.getName(), ex);
        }
    }
}
