package dev.outbox.spring.autoconfigure.info;

import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;

/** Contributes the outbox to the application's info, as {@code outbox}: what this instance runs. Asks no database. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass({InfoContributor.class, ConditionalOnEnabledInfoContributor.class})
@ConditionalOnBean(OutboxRuntime.class)
public final class OutboxInfoAutoConfiguration {

    @Bean
    @ConditionalOnEnabledInfoContributor("outbox")
    @ConditionalOnMissingBean(name = "outboxInfoContributor")
    InfoContributor outboxInfoContributor(OutboxRuntime runtime, RuntimeSettings settings) throws IOException {
        String version = PropertiesLoaderUtils.loadProperties(new ClassPathResource(
                        "META-INF/outbox.properties", getClass().getClassLoader()))
                .getProperty("version");
        return (builder) -> {
            Map<String, Object> outbox = new LinkedHashMap<>();
            outbox.put("version", version);
            outbox.put("schema", settings.schemas().outbox().name());
            outbox.put("archiveSchema", settings.schemas().archive().name());
            outbox.put("pollerEnabled", settings.polling().enabled());
            outbox.put("polledStreams", new TreeSet<>(settings.polling().polled()));
            Map<String, Object> handlers = new TreeMap<>();
            runtime.eventTypesByHandler().forEach((id, types) -> handlers.put(id, new TreeSet<>(types)));
            outbox.put("handlers", handlers);
            builder.withDetail("outbox", outbox);
        };
    }
}
