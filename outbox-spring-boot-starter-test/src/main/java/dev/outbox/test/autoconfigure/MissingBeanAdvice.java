package dev.outbox.test.autoconfigure;

import dev.outbox.test.OutboxTester;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ContextAnnotationAutowireCandidateResolver;

/** Adds to Spring's message on a required bean that a test lacks which annotation of the test adds it. */
final class MissingBeanAdvice extends ContextAnnotationAutowireCandidateResolver {

    private final boolean hasTester;
    private final boolean slice;

    private MissingBeanAdvice(boolean hasTester, boolean slice) {
        this.hasTester = hasTester;
        this.slice = slice;
    }

    /** Keeps a resolver that is not the default one of annotated configuration. */
    static void addTo(ConfigurableListableBeanFactory beanFactory, boolean hasTester, boolean slice) {
        if (beanFactory instanceof DefaultListableBeanFactory factory
                && factory.getAutowireCandidateResolver().getClass()
                        == ContextAnnotationAutowireCandidateResolver.class) {
            factory.setAutowireCandidateResolver(new MissingBeanAdvice(hasTester, slice));
        }
    }

    /** Spring asks for every dependency, before it looks for beans. */
    @Override
    public @Nullable Object getSuggestedValue(DependencyDescriptor descriptor) {
        Object value = super.getSuggestedValue(descriptor);
        if (value == null && isRequired(descriptor) && getBeanFactory() instanceof ListableBeanFactory beans) {
            Class<?> type = descriptor.getDependencyType();
            String advice = advice(type, beans);
            if (advice != null && isMissing(descriptor, beans)) {
                throw new NoSuchBeanDefinitionException(type, advice);
            }
        }
        return value;
    }

    private @Nullable String advice(Class<?> type, ListableBeanFactory beans) {
        if (type == OutboxTester.class && !hasTester) {
            return "add @AutoConfigureOutbox to the test class";
        }
        if (slice && isOfApplication(type, beans)) {
            String missing = type.isInterface()
                    ? "the component that implements " + type.getSimpleName()
                    : type.getSimpleName() + ".class";
            return "@OutboxTest includes only the components that its value names: add " + missing
                    + " to @OutboxTest({...}), or add the configuration that declares it with @Import";
        }
        return null;
    }

    private static boolean isOfApplication(Class<?> type, ListableBeanFactory beans) {
        return AutoConfigurationPackages.has(beans)
                && AutoConfigurationPackages.get(beans).stream()
                        .anyMatch((name) -> type.getName().startsWith(name + "."));
    }

    private static boolean isMissing(DependencyDescriptor descriptor, ListableBeanFactory beans) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                                beans, descriptor.getDependencyType(), true, descriptor.isEager())
                        .length
                == 0;
    }
}
