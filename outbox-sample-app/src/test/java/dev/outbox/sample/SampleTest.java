package dev.outbox.sample;

import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** A test of the running service, on a database of its own. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@Import(SampleTest.Database.class)
@ExtendWith(ClosedContexts.class)
public @interface SampleTest {

    /** Takes the place of {@code spring.datasource.url}; the database is dropped after the pool is closed. */
    @TestConfiguration(proxyBeanMethods = false)
    class Database {

        @Bean
        TestDatabase testDatabase() {
            return TestPostgres.shared().newDatabase();
        }

        @Bean
        JdbcConnectionDetails connectionDetails(TestDatabase database) {
            return new JdbcConnectionDetails() {
                @Override
                public String getJdbcUrl() {
                    return database.jdbcUrl();
                }

                @Override
                public String getUsername() {
                    return database.username();
                }

                @Override
                public String getPassword() {
                    return database.password();
                }
            };
        }
    }
}
