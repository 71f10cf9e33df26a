package dev.outbox.internal.runtime;

import dev.outbox.OutboxPublisher;
import java.util.function.UnaryOperator;

/** Adds behaviour to the publisher of the outbox, as a bean. */
@FunctionalInterface
public interface PublisherDecorator extends UnaryOperator<OutboxPublisher> {}
