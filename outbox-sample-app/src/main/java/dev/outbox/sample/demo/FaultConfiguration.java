package dev.outbox.sample.demo;

import dev.outbox.OutboxHandler;
import java.security.SecureRandom;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;

/** Wraps all handlers in a proxy that injects faults. The classes of the handlers must not be final. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty("demo.enabled")
class FaultConfiguration {

    /** Has the role of infrastructure, because Spring's transaction proxies ignore other advisors. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor faultyHandlers(ObjectProvider<Faults> faults) {
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                new AnnotationMatchingPointcut(null, OutboxHandler.class, true),
                new FaultyHandlers(faults, new SecureRandom()));
        advisor.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return advisor;
    }
}
