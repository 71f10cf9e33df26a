package dev.outbox.test.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;

/** Creates a database for the context. Spring Boot configures its connection pool for it, whatever {@code spring.datasource.url} says. */
@AutoConfiguration(
        before = DataSourceAutoConfiguration.class,
        afterName = "org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration")
@ConditionalOnProperty(name = AutoConfigureOutbox.DATABASE, havingValue = "EMBEDDED")
public final class EmbeddedDatabaseAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(JdbcConnectionDetails.class)
    EmbeddedDatabase outboxTestDatabase() {
        return EmbeddedDatabase.create();
    }
}
