package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.sql.BoundConnection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/** Finds the transaction manager of the outbox's {@code DataSource} on first use, because it may depend on beans that publish. */
final class OutboxTransactionManager implements Supplier<Optional<PlatformTransactionManager>> {

    private final ObjectProvider<PlatformTransactionManager> managers;
    private final DataSource dataSource;
    private final ListableBeanFactory beanFactory;

    OutboxTransactionManager(
            ObjectProvider<PlatformTransactionManager> managers,
            DataSource dataSource,
            ListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
        this.managers = managers;
        this.dataSource = BoundConnection.behindProxy(dataSource);
    }

    /**
     * Returns the only manager of this DataSource, otherwise the primary one, or empty if neither is unique. Throws an
     * {@link OutboxConfigurationException} if all have other DataSources.
     */
    @Override
    public Optional<PlatformTransactionManager> get() {
        List<PlatformTransactionManager> ofDataSource = managers.stream(ObjectProvider.UNFILTERED)
                .filter((manager) -> dataSourceOf(manager) == dataSource)
                .toList();
        if (ofDataSource.size() == 1) {
            return Optional.of(ofDataSource.get(0));
        }
        Optional<PlatformTransactionManager> preferred = Optional.ofNullable(managers.getIfUnique());
        if (!ofDataSource.isEmpty()) {
            return preferred.filter(ofDataSource::contains);
        }
        Optional<PlatformTransactionManager> unknown = preferred.filter(OutboxTransactionManager::hasUnknownDataSource);
        if (unknown.isEmpty()) {
            checkOthers();
        }
        return unknown;
    }

    /** Names the managers of other DataSources: one of them was probably meant, and another bean of its DataSource is primary. */
    private void checkOthers() {
        Map<String, DataSource> dataSources = beanFactory.getBeansOfType(DataSource.class, true, false);
        Map<String, String> others = new TreeMap<>();
        beanFactory
                .getBeansOfType(PlatformTransactionManager.class, true, false)
                .forEach((name, manager) -> {
                    DataSource used = dataSourceOf(manager);
                    if (used != null) {
                        others.put(name, nameOf(used, dataSources));
                    }
                });
        if (others.isEmpty()) {
            return;
        }
        String own = nameOf(dataSource, dataSources);
        throw new OutboxConfigurationException(
                "the outbox uses " + own + ", and no transaction manager does: "
                        + others.entrySet().stream()
                                .map((other) -> "'" + other.getKey() + "' uses " + other.getValue())
                                .collect(Collectors.joining(", ")),
                "mark the DataSource of the transaction manager with @OutboxDataSource, or build a transaction manager on "
                        + own,
                null);
    }

    private static String nameOf(DataSource wanted, Map<String, DataSource> dataSources) {
        return dataSources.entrySet().stream()
                .filter((bean) -> BoundConnection.behindProxy(bean.getValue()) == wanted)
                .map((bean) -> "the DataSource '" + bean.getKey() + "'")
                .findFirst()
                .orElse("a DataSource that is no bean");
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
