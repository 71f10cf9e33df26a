package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import dev.outbox.internal.schema.UnpooledDataSource;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/** DataSource and schemas of the outbox tables, and the URL that bypasses a pooler. */
record OutboxDatabase(
        DataSource dataSource, Schemas schemas, @Nullable String directUrl) {

    OutboxDatabase {
        if (StringUtils.hasText(directUrl) && !directUrl.startsWith("jdbc:")) {
            // It may contain a password.
            throw new OutboxConfigurationException(
                    "the property outbox.direct-url is no JDBC URL",
                    "set it to that of PostgreSQL itself, such as jdbc:postgresql://host:5432/database, or remove it if no pooler"
                            + " stands in between",
                    null);
        }
    }

    /** Returns connections to PostgreSQL itself; empty if no URL bypasses a pooler. */
    Optional<DataSource> direct() {
        return StringUtils.hasText(directUrl)
                ? Optional.of(UnpooledDataSource.at(directUrl, dataSource))
                : Optional.empty();
    }

    /** Returns connections outside the pool, direct ones if possible; empty if it is not known how to open them. */
    Optional<DataSource> unpooled() {
        return direct().or(() -> UnpooledDataSource.behind(dataSource));
    }
}
