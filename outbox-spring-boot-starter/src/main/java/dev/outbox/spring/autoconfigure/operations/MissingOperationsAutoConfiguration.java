package dev.outbox.spring.autoconfigure.operations;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Says what an application does without that excludes outbox-operations, or its auto-configuration. */
@AutoConfiguration(after = {OutboxAutoConfiguration.class, OutboxOperationsAutoConfiguration.class})
@ConditionalOnMissingBean(type = "dev.outbox.operations.internal.OperationsRuntime")
@ConditionalOnBean(OutboxRuntime.class)
public final class MissingOperationsAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(MissingOperationsAutoConfiguration.class);

    @Bean
    SmartInitializingSingleton missingOutboxOperations(RuntimeSettings settings) {
        return () -> {
            if (settings.retention().dead() != null) {
                throw new OutboxConfigurationException(
                        "outbox.retention.dead skips dead letters, which needs outbox-operations",
                        "add dev.outbox:outbox-operations with its auto-configuration, or remove the property",
                        null);
            }
            log.info(
                    "Without dev.outbox:outbox-operations, dead letters can only be handled by SQL: nothing here retries, skips or"
                            + " replays them");
        };
    }
}
