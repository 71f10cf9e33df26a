package dev.outbox.sample.database;

import java.nio.file.Path;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Starts an embedded PostgreSQL if no database is configured, or if {@code demo.data-dir} says where to keep its data. */
@AutoConfiguration(
        before = DataSourceAutoConfiguration.class,
        afterName = "dev.outbox.test.autoconfigure.EmbeddedDatabaseAutoConfiguration")
@Conditional(EmbeddedDatabaseConfiguration.IsWanted.class)
@ConditionalOnMissingBean({DataSource.class, JdbcConnectionDetails.class})
final class EmbeddedDatabaseConfiguration {

    private static final String DATA_DIR = "demo.data-dir";
    private static final String URL = "spring.datasource.url";

    @Bean
    EmbeddedDatabase embeddedDatabase(Environment environment) {
        String directory = environment.getProperty(DATA_DIR);
        String url = environment.getProperty(URL);
        if (url != null) {
            throw new IllegalStateException(URL + " names a database already, " + url + ", so " + DATA_DIR + "="
                    + directory + " must not name another");
        }
        int anyFreePort = 0;
        int port = environment.getProperty("demo.database-port", Integer.class, anyFreePort);
        return directory == null
                ? EmbeddedDatabase.temporary(port)
                : EmbeddedDatabase.in(Path.of(directory).toAbsolutePath().normalize(), port);
    }

    static final class IsWanted implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            Environment environment = context.getEnvironment();
            return environment.containsProperty(DATA_DIR) || !environment.containsProperty(URL);
        }
    }
}
