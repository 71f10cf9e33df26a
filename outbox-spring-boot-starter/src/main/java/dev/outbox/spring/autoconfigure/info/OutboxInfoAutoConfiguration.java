package dev.outbox.spring.autoconfigure.info;

import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Contributes the outbox to the application's info, as {@code outbox}. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass({InfoContributor.class, ConditionalOnEnabledInfoContributor.class})
@ConditionalOnBean(OutboxRuntime.class)
public final class OutboxInfoAutoConfiguration {

    @Bean
    @ConditionalOnEnabledInfoContributor("outbox")
    @ConditionalOnMissingBean(name = "outboxInfoContributor")
    OutboxInfoContributor outboxInfoContributor(OutboxRuntime runtime, RuntimeSettings settings) {
        return new OutboxInfoContributor(runtime, settings);
    }
}
