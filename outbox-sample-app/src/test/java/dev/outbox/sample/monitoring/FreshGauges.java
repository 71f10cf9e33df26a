package dev.outbox.sample.monitoring;

import dev.outbox.internal.gauges.QueueGauges;
import dev.outbox.internal.sql.OutboxSchema;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/** Gauges that reuse a count during one scrape only. */
@TestConfiguration(proxyBeanMethods = false)
class FreshGauges {

    @Bean
    QueueGauges queueGauges(DataSource dataSource) {
        return new QueueGauges(dataSource, OutboxSchema.DEFAULT, Duration.ofMillis(100));
    }
}
