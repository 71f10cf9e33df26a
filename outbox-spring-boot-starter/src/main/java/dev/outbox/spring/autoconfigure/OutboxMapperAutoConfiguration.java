package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxMapper;
import dev.outbox.PayloadFormat;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.MethodMetadata;
import tools.jackson.databind.json.JsonMapper;

/** Configures the mapper of payloads. A disabled outbox has none, and still keeps a marked mapper apart from the web mapper. */
@AutoConfiguration(before = JacksonAutoConfiguration.class)
@Import(OutboxMapperAutoConfiguration.Candidates.class)
public final class OutboxMapperAutoConfiguration {

    @Bean(defaultCandidate = false)
    @ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
    @Fallback
    @OutboxMapper
    JsonMapper outboxJsonMapper() {
        return PayloadFormat.mapper();
    }

    /**
     * Keeps a mapper that the application marks {@link OutboxMapper} from taking the place of its web mapper. Runs before Spring Boot asks
     * whether the application has a mapper of its own, and after the beans of the application are registered.
     */
    static final class Candidates implements ImportBeanDefinitionRegistrar {

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
            MethodMetadata method = definition instanceof AnnotatedBeanDefinition annotated
                    ? annotated.getFactoryMethodMetadata()
                    : null;
            return method != null && method.isAnnotated(OutboxMapper.class.getName());
        }
    }
}
