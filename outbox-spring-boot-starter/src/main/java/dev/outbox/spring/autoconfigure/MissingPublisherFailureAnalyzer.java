package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxPublisher;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Explains why an application that wants to publish has no outbox. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class MissingPublisherFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
        if (cause.getBeanType() != OutboxPublisher.class) {
            return null;
        }
        return new FailureAnalysis(
                "A component needs an OutboxPublisher, but the outbox is off: outbox.enabled is false, or there is no"
                        + " DataSource to hold it, or there are several and none is primary.",
                "Set spring.datasource.url to a PostgreSQL database, or mark one of several DataSource beans with"
                        + " @OutboxDataSource (or @Primary), or set outbox.enabled=true.",
                cause);
    }
}
