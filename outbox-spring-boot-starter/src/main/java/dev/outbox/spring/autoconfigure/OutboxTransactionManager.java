package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.sql.BoundConnection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/** Finds the transaction manager of the outbox's {@code DataSource} on first use, because it may depend on beans that publish. */
final class OutboxTransactionManager implements Supplier<Optional<PlatformTransactionManager>> {

    private final ObjectProvider<PlatformTransactionManager> managers;
    private final DataSource dataSource;

    OutboxTransactionManager(ObjectProvider<PlatformTransactionManager> managers, DataSource dataSource) {
        this.managers = managers;
        this.dataSource = BoundConnection.behindProxy(dataSource);
    }

    /** Returns the only manager of this DataSource, otherwise the primary one; empty if neither is unique, or if all have other DataSources. */
    @Override
    public Optional<PlatformTransactionManager> get() {
        List<PlatformTransactionManager> ofDataSource = managers.stream(ObjectProvider.UNFILTERED)
                .filter((manager) -> dataSourceOf(manager) == dataSource)
                .toList();
        if (ofDataSource.size() == 1) {
            return Optional.of(ofDataSource.get(0));
        }
        Optional<PlatformTransactionManager> preferred = Optional.ofNullable(managers.getIfUnique());
        return preferred.filter(
                ofDataSource.isEmpty() ? OutboxTransactionManager::hasUnknownDataSource : ofDataSource::contains);
    }

    /** A wrapper or custom manager does not tell its DataSource. The deduplication inbox checks before it invokes a handler. */
    private static boolean hasUnknownDataSource(PlatformTransactionManager manager) {
        return dataSourceOf(manager) == null && !(manager instanceof ResourceTransactionManager);
    }

    /** Reads a property, because the managers for JDBC, JPA and Hibernate share no type that declares it. */
    private static @Nullable DataSource dataSourceOf(PlatformTransactionManager manager) {
        BeanWrapper bean = PropertyAccessorFactory.forBeanPropertyAccess(manager);
        return bean.isReadableProperty("dataSource") && bean.getPropertyValue("dataSource") instanceof DataSource found
                ? BoundConnection.behindProxy(found)
                : null;
    }
}
