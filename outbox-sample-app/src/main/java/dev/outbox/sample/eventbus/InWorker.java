package dev.outbox.sample.eventbus;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/** Component that executes commands: over Kafka, only the service {@code worker} has it. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ConditionalOnProperty(name = "sample.service", havingValue = "worker", matchIfMissing = true)
public @interface InWorker {}
