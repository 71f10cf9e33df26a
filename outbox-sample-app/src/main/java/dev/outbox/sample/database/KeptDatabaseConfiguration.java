package dev.outbox.sample.database;

import java.nio.file.Path;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Takes the place of the database that is deleted at the end, where {@code demo.data-dir} names a directory for one that stays. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("demo.data-dir")
final class KeptDatabaseConfiguration {

    @Bean
    KeptDatabase keptDatabase(Environment environment) {
        String directory = environment.getRequiredProperty("demo.data-dir");
        String url = environment.getProperty("spring.datasource.url");
        if (url != null) {
            throw new IllegalStateException("spring.datasource.url names a database already, " + url
                    + ", so demo.data-dir=" + directory + " must not name another");
        }
        int anyFreePort = 0;
        return KeptDatabase.start(
                Path.of(directory).toAbsolutePath().normalize(),
                environment.getProperty("demo.database-port", Integer.class, anyFreePort));
    }
}
