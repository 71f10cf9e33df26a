package dev.outbox.test.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.flyway.autoconfigure.FlywayConnectionDetails;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Points the application's own migrations at the test database if they have a connection of their own. */
@AutoConfiguration(
        after = EmbeddedDatabaseAutoConfiguration.class,
        beforeName = {
            "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
            "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration"
        })
@ConditionalOnBean(EmbeddedDatabase.class)
public final class EmbeddedMigrationsAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(FlywayConnectionDetails.class)
    @ConditionalOnExpression("'${spring.flyway.url:}${spring.flyway.user:}' != ''")
    static class Flyway {

        @Bean
        @ConditionalOnMissingBean(FlywayConnectionDetails.class)
        FlywayConnectionDetails outboxTestFlyway(EmbeddedDatabase database) {
            return new FlywayConnectionDetails() {
                @Override
                public String getJdbcUrl() {
                    return database.getJdbcUrl();
                }

                @Override
                public String getUsername() {
                    return database.getUsername();
                }

                @Override
                public String getPassword() {
                    return database.getPassword();
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LiquibaseConnectionDetails.class)
    @ConditionalOnExpression("'${spring.liquibase.url:}${spring.liquibase.user:}' != ''")
    static class Liquibase {

        @Bean
        @ConditionalOnMissingBean(LiquibaseConnectionDetails.class)
        LiquibaseConnectionDetails outboxTestLiquibase(EmbeddedDatabase database) {
            return new LiquibaseConnectionDetails() {
                @Override
                public String getJdbcUrl() {
                    return database.getJdbcUrl();
                }

                @Override
                public String getUsername() {
                    return database.getUsername();
                }

                @Override
                public String getPassword() {
                    return database.getPassword();
                }
            };
        }
    }
}
