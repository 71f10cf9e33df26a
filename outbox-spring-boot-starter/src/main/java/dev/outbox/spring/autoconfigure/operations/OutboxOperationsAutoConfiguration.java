package dev.outbox.spring.autoconfigure.operations;

import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.operations.internal.OperationsRuntime;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Lets operators of an application with an outbox find, retry, skip, pause, replay and erase, if outbox-operations is there. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass(OutboxOperations.class)
@ConditionalOnBean(OutboxRuntime.class)
public final class OutboxOperationsAutoConfiguration {

    @Bean
    OperationsRuntime outboxOperationsRuntime(OutboxRuntime runtime) {
        return new OperationsRuntime(runtime);
    }

    @Bean
    @ConditionalOnMissingBean
    OutboxOperations outboxOperations(OperationsRuntime runtime) {
        return runtime.operations();
    }

    @Bean
    @ConditionalOnMissingBean
    OutboxInspector outboxInspector(OperationsRuntime runtime) {
        return runtime.inspector();
    }

    @Bean
    @ConditionalOnMissingBean
    Replays outboxReplays(OperationsRuntime runtime) {
        return runtime.replays();
    }

    @Bean
    @ConditionalOnMissingBean
    ScheduledEvents outboxScheduledEvents(OperationsRuntime runtime) {
        return runtime.scheduled();
    }

    /** It adds to the runtime, which starts whether anybody asks for it or not. */
    @Bean
    static LazyInitializationExcludeFilter outboxOperationsStartEagerly() {
        return LazyInitializationExcludeFilter.forBeanTypes(OperationsRuntime.class);
    }
}
