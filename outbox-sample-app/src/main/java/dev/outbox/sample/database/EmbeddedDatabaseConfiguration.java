package dev.outbox.sample.database;

import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Starts an embedded PostgreSQL if no database is configured. */
@AutoConfiguration(
        before = DataSourceAutoConfiguration.class,
        afterName = "dev.outbox.test.autoconfigure.EmbeddedDatabaseAutoConfiguration")
@Conditional(EmbeddedDatabaseConfiguration.IsWanted.class)
@ConditionalOnMissingBean({DataSource.class, JdbcConnectionDetails.class})
final class EmbeddedDatabaseConfiguration {

    @Bean
    EmbeddedDatabase embeddedDatabase() {
        return EmbeddedDatabase.start();
    }

    static final class IsWanted implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return !context.getEnvironment().containsProperty("spring.datasource.url");
        }
    }
}
