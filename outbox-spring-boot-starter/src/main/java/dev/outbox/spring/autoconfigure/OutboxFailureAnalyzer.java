package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxPublisher;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Prints the problem and the remedy of a failed start, also if a component needs a publisher and there is no outbox. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class OutboxFailureAnalyzer extends AbstractFailureAnalyzer<Throwable> {

    private final BeanFactory beanFactory;
    private final Environment environment;

    OutboxFailureAnalyzer(BeanFactory beanFactory, Environment environment) {
        this.beanFactory = beanFactory;
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, Throwable failure) {
        OutboxConfigurationException found = findCause(failure, OutboxConfigurationException.class);
        if (found != null) {
            return found.remedy().isEmpty()
                    ? new FailureAnalysis(found.problem() + unknownProperties(), null, found)
                    : new FailureAnalysis(
                            sentence(found.problem()) + "." + unknownProperties(),
                            sentence(found.remedy()) + (found.sql().isEmpty() ? "." : ":\n\n" + found.sql()),
                            found);
        }
        NoSuchBeanDefinitionException missing = findCause(failure, NoSuchBeanDefinitionException.class);
        if (missing == null
                || missing.getBeanType() != OutboxPublisher.class
                || !(beanFactory instanceof ConfigurableListableBeanFactory beans)) {
            return null;
        }
        MissingOutbox reason = MissingOutbox.explain(beans, environment);
        return new FailureAnalysis(
                "A component needs an OutboxPublisher, but there is no outbox, because " + reason.reason() + ".",
                reason.action(),
                missing);
    }

    /** A mistyped property is often the cause, and the start report, which would name it, comes later. */
    private String unknownProperties() {
        List<String> unknown = beanFactory instanceof ConfigurableListableBeanFactory beans
                ? new UnknownProperties(environment, beans).lines()
                : List.of();
        return unknown.isEmpty() ? "" : "\n\n" + String.join("\n", unknown);
    }

    /** A property at the beginning stays as it is, because readers copy it. */
    private static String sentence(String text) {
        return text.split(" ", 2)[0].contains(".") ? text : StringUtils.capitalize(text);
    }
}
