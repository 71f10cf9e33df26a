package dev.outbox.spring.autoconfigure;

import dev.outbox.PayloadFormat;
import dev.outbox.spring.OutboxMapper;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import tools.jackson.databind.json.JsonMapper;

/** Configures the mapper of payloads. A disabled outbox has none, and still keeps a marked mapper apart from the web mapper. */
@AutoConfiguration(before = JacksonAutoConfiguration.class)
@Import(OutboxMapperCandidates.class)
public final class OutboxMapperAutoConfiguration {

    @Bean(defaultCandidate = false)
    @ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
    @Fallback
    @OutboxMapper
    JsonMapper outboxJsonMapper() {
        return PayloadFormat.mapper();
    }
}
