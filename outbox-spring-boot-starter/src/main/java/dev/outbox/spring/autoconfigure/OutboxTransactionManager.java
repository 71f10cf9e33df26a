package dev.outbox.spring.autoconfigure;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/**
 * Finds the transaction manager that works on the outbox's {@code DataSource}. Looks as late as it is asked: a transaction
 * manager may need beans that publish.
 */
final class OutboxTransactionManager implements Supplier<Optional<PlatformTransactionManager>> {

    private final ObjectProvider<PlatformTransactionManager> managers;
    private final DataSource dataSource;

    OutboxTransactionManager(ObjectProvider<PlatformTransactionManager> managers, DataSource dataSource) {
        this.managers = managers;
        this.dataSource = target(dataSource);
    }

    /** Returns the only one of this DataSource, else the primary one; empty if neither is clear. */
    @Override
    public Optional<PlatformTransactionManager> get() {
        List<PlatformTransactionManager> ofDataSource = managers.stream(ObjectProvider.UNFILTERED)
                .filter((manager) -> dataSourceOf(manager) == dataSource)
                .toList();
        if (ofDataSource.size() == 1) {
            return Optional.of(ofDataSource.get(0));
        }
        Optional<PlatformTransactionManager> preferred = Optional.ofNullable(managers.getIfUnique());
        return ofDataSource.isEmpty()
                ? preferred.filter(OutboxTransactionManager::mayWorkAnywhere)
                : preferred.filter(ofDataSource::contains);
    }

    /** A wrapper or a manager of the application's own does not say; the inbox finds out before it invokes a handler. */
    private static boolean mayWorkAnywhere(PlatformTransactionManager manager) {
        return dataSourceOf(manager) == null && !(manager instanceof ResourceTransactionManager);
    }

    /** The managers for JDBC, JPA and Hibernate have this property, and no type in common that has it. */
    private static @Nullable DataSource dataSourceOf(PlatformTransactionManager manager) {
        BeanWrapper bean = PropertyAccessorFactory.forBeanPropertyAccess(manager);
        return bean.isReadableProperty("dataSource") && bean.getPropertyValue("dataSource") instanceof DataSource found
                ? target(found)
                : null;
    }

    private static DataSource target(DataSource dataSource) {
        DataSource target =
                dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target != null ? target : dataSource;
    }
}
