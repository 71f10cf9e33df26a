package dev.outbox.modulith.autoconfigure;

import dev.outbox.spring.internal.AnnotatedClasses;
import java.lang.reflect.Type;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.modulith.events.Externalized;

/** Runtime hints for the classes of externalized events: they are written, found by name, and read. */
final class ExternalizedHints implements BeanFactoryInitializationAotProcessor {

    @Override
    public BeanFactoryInitializationAotContribution processAheadOfTime(ConfigurableListableBeanFactory beanFactory) {
        Type[] types = AnnotatedClasses.of(beanFactory, Externalized.class).toArray(Type[]::new);
        return (generation, code) -> new BindingReflectionHintsRegistrar()
                .registerReflectionHints(generation.getRuntimeHints().reflection(), types);
    }
}
