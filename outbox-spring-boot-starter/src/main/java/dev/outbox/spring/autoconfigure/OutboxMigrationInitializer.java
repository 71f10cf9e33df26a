package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.schema.DatabaseCheck;
import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.internal.schema.PoolerCheck;
import dev.outbox.internal.schema.UnpooledDataSource;
import java.util.Optional;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;

/**
 * Migrates or validates the outbox tables during startup: after the application's own migrations, and before the beans that depend on
 * database initialization. It uses a private Flyway instance that is independent of the application's.
 */
final class OutboxMigrationInitializer implements InitializingBean {

    private final OutboxDatabase database;
    private final boolean migrate;
    private final OptionalInt connections;

    OutboxMigrationInitializer(OutboxDatabase database, boolean migrate, OptionalInt connections) {
        this.database = database;
        this.migrate = migrate;
        this.connections = connections;
    }

    @Override
    public void afterPropertiesSet() {
        new DatabaseCheck(
                        database.dataSource(),
                        database.direct(),
                        database.schemas().outbox(),
                        database.schemas().archive())
                .run(migrate, connections);
        OutboxMigrations migrations = new OutboxMigrations(
                dataSource(), database.schemas().outbox(), database.schemas().archive());
        if (migrate) {
            migrations.migrate();
        } else {
            migrations.validate();
        }
        UnpooledDataSource.behind(database.dataSource())
                .ifPresent((unpooled) -> new PoolerCheck(database.dataSource(), unpooled).warn());
    }

    /**
     * Avoids a pooler that shares sessions, because Flyway sets the search path of its session, and a pool of one connection, because
     * Flyway uses two at the same time.
     */
    private DataSource dataSource() {
        DataSource pool = database.dataSource();
        return database.direct()
                .or(() -> connections.orElse(2) == 1 ? UnpooledDataSource.behind(pool) : Optional.empty())
                .orElse(pool);
    }
}
