package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.runtime.UnpooledDataSource;
import dev.outbox.internal.schema.OutboxMigrations;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;

/**
 * Migrates or checks the outbox tables while the context is being created: after the application's own migrations, and before
 * every bean that depends on database initialization. The Flyway that does it is no bean and knows nothing of the
 * application's.
 */
final class OutboxMigrationInitializer implements InitializingBean {

    private final OutboxDatabase database;
    private final boolean migrate;
    private final OptionalInt connections;

    /**
     * Creates an initializer that runs when the context asks for it.
     *
     * @param connections how many connections the pool has at most; empty if it does not say
     */
    OutboxMigrationInitializer(OutboxDatabase database, boolean migrate, OptionalInt connections) {
        this.database = database;
        this.migrate = migrate;
        this.connections = connections;
    }

    @Override
    public void afterPropertiesSet() {
        OutboxMigrations migrations = new OutboxMigrations(
                dataSource(), database.schemas().outbox(), database.schemas().archive());
        if (migrate) {
            migrations.migrate();
        } else {
            migrations.validate();
        }
    }

    /** Flyway uses two connections at once, which a pool of one does not have. */
    private DataSource dataSource() {
        DataSource pool = database.dataSource();
        return connections.orElse(2) == 1 ? UnpooledDataSource.behind(pool).orElse(pool) : pool;
    }
}
