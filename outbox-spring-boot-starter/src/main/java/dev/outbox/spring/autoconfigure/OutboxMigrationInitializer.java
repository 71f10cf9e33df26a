package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.internal.schema.TableModule;
import dev.outbox.internal.schema.UnpooledDataSource;
import dev.outbox.internal.sql.OutboxSchema;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;
import org.springframework.core.Ordered;

/**
 * Migrates or validates the tables of the outbox and its modules during startup: after the application's own migrations, and before the beans that depend on
 * database initialization. It uses a private Flyway instance that is independent of the application's.
 */
final class OutboxMigrationInitializer implements InitializingBean {

    private final OutboxDatabase database;
    private final boolean migrate;
    private final OptionalInt connections;
    private final List<TableModule> modules;

    OutboxMigrationInitializer(
            OutboxDatabase database, boolean migrate, OptionalInt connections, List<TableModule> modules) {
        this.database = database;
        this.migrate = migrate;
        this.connections = connections;
        this.modules = modules;
    }

    @Override
    public void afterPropertiesSet() {
        DataSource dataSource = dataSource();
        OutboxSchema schema = database.schemas().outbox();
        OutboxSchema archive = database.schemas().archive();
        new OutboxMigrations(dataSource, schema, archive).start(migrate);
        modules.forEach((module) -> new OutboxMigrations(module, dataSource, schema, archive).start(migrate));
    }

    /**
     * Avoids a pooler that shares sessions, because Flyway sets the search path of its session, and a pool of one connection, because
     * Flyway uses two at the same time.
     */
    private DataSource dataSource() {
        return database.direct()
                .or(() ->
                        connections.orElse(2) > 1 ? Optional.empty() : UnpooledDataSource.behind(database.dataSource()))
                .orElse(database.dataSource());
    }

    /** Declares the outbox as the last database initializer. */
    static final class Detector extends AbstractBeansOfTypeDatabaseInitializerDetector {

        @Override
        protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
            return Set.of(OutboxMigrationInitializer.class);
        }

        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }
    }
}
