package dev.outbox.sample;

import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;

/** A test of the running service, on a database of its own. The faults that it injects end with it. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@Import(SampleTest.Service.class)
@ExtendWith(SampleContexts.class)
public @interface SampleTest {

    /**
     * A client for each test, and a database that takes the place of {@code spring.datasource.url}. It is dropped after the pool is closed.
     */
    @TestConfiguration(proxyBeanMethods = false)
    class Service {

        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        Api api(@Value("${local.server.port}") int port) {
            return new Api(port);
        }

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
