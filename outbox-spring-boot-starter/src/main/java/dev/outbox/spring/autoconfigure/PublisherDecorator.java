package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxPublisher;
import java.util.function.UnaryOperator;

/** Adds behaviour to the publisher of the outbox, as a bean. */
@FunctionalInterface
public interface PublisherDecorator extends UnaryOperator<OutboxPublisher> {}
