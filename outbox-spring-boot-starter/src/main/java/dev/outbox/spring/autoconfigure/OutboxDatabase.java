package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import dev.outbox.internal.schema.UnpooledDataSource;
import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.StringUtils;

/** DataSource and schemas of the outbox tables, and the URL that bypasses a pooler. */
record OutboxDatabase(
        DataSource dataSource, Schemas schemas, @Nullable String directUrl) {

    /** Chooses the marked DataSource, otherwise the only or primary one. */
    static OutboxDatabase of(
            ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> all,
            Schemas schemas,
            @Nullable String directUrl) {
        try {
            return new OutboxDatabase(marked.getIfAvailable(all::getObject), schemas, directUrl);
        } catch (NoUniqueBeanDefinitionException ex) {
            Collection<String> names = ex.getBeanNamesFound();
            throw new OutboxConfigurationException(
                    "several DataSource beans are marked @OutboxDataSource: "
                            + (names == null ? "" : String.join(", ", new TreeSet<>(names))),
                    "mark the one that holds the outbox tables, and remove the annotation from the others",
                    ex);
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
