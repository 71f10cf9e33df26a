package dev.outbox.spring.autoconfigure;

import dev.outbox.schema.OutboxMigrations;
import org.springframework.beans.factory.InitializingBean;

/**
 * Migrates or checks the outbox tables while the context is being created: after the application's own migrations, and before
 * every bean that depends on database initialization. The Flyway that does it is no bean and knows nothing of the
 * application's.
 */
final class OutboxMigrationInitializer implements InitializingBean {

    private final OutboxDatabase database;
    private final boolean migrate;

    OutboxMigrationInitializer(OutboxDatabase database, boolean migrate) {
        this.database = database;
        this.migrate = migrate;
    }

    @Override
    public void afterPropertiesSet() {
        OutboxMigrations migrations = new OutboxMigrations(
                database.dataSource(),
                database.schemas().outbox(),
                database.schemas().archive());
        if (migrate) {
            migrations.migrate();
        } else {
            migrations.validate();
        }
    }
}
