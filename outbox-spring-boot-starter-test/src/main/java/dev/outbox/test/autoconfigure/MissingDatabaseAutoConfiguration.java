package dev.outbox.test.autoconfigure;

import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** Creates a database for an application that names none, such as one started by {@code mvn spring-boot:test-run}. */
@AutoConfiguration(
        before = DataSourceAutoConfiguration.class,
        after = EmbeddedDatabaseAutoConfiguration.class,
        afterName = "org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration")
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@Conditional(MissingDatabaseAutoConfiguration.NoDatabaseConfigured.class)
@ConditionalOnMissingBean({DataSource.class, XADataSource.class, JdbcConnectionDetails.class})
public final class MissingDatabaseAutoConfiguration {

    @Bean
    EmbeddedDatabase outboxMissingDatabase() {
        return EmbeddedDatabase.create();
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
