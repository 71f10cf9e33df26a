package dev.outbox.spring.autoconfigure;

import dev.outbox.spring.OutboxMapper;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.MethodMetadata;

/**
 * Keeps a mapper that the application marks {@link OutboxMapper} from taking the place of its web mapper. Runs before Spring Boot asks
 * whether the application has a mapper of its own, and after the beans of the application are registered.
 */
final class OutboxMapperCandidates implements ImportBeanDefinitionRegistrar {

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        for (String name : registry.getBeanDefinitionNames()) {
            BeanDefinition definition = registry.getBeanDefinition(name);
            if (isMarked(definition) && definition instanceof AbstractBeanDefinition candidate) {
                candidate.setDefaultCandidate(false);
            }
        }
    }

    private static boolean isMarked(BeanDefinition definition) {
        MethodMetadata method =
                definition instanceof AnnotatedBeanDefinition annotated ? annotated.getFactoryMethodMetadata() : null;
        return method != null && method.isAnnotated(OutboxMapper.class.getName());
    }
}
