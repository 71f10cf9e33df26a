package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxPublisher;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Explains why an application that injects a publisher has no outbox. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class MissingPublisherFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

    private final BeanFactory beanFactory;
    private final Environment environment;

    MissingPublisherFailureAnalyzer(BeanFactory beanFactory, Environment environment) {
        this.beanFactory = beanFactory;
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
        if (cause.getBeanType() != OutboxPublisher.class
                || !(beanFactory instanceof ConfigurableListableBeanFactory beans)) {
            return null;
        }
        MissingOutbox missing = MissingOutbox.explain(beans, environment);
        return new FailureAnalysis(
                "A component needs an OutboxPublisher, but there is no outbox, because " + missing.reason() + ".",
                missing.action(),
                cause);
    }
}
