package dev.outbox.sample.database;

import java.nio.file.Path;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Replaces the temporary embedded database by one that keeps its data, if {@code demo.data-dir} is set. */
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
