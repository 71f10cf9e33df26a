package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.gauges.QueueGauges;
import dev.outbox.internal.sql.OutboxSchema;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Gauges that count anew for each reader. */
@Configuration(proxyBeanMethods = false)
public class FreshGauges {

    @Bean
    QueueGauges queueGauges(DataSource dataSource) {
        return new QueueGauges(dataSource, OutboxSchema.DEFAULT, Duration.ZERO);
    }
}
