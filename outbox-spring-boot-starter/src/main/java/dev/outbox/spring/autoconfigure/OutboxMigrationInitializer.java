package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.schema.DatabaseCheck;
import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.internal.schema.PoolerCheck;
import dev.outbox.internal.schema.TableModule;
import dev.outbox.internal.schema.UnpooledDataSource;
import dev.outbox.internal.store.OutboxSchema;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;

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
        new DatabaseCheck(
                        database.dataSource(),
                        database.direct(),
                        database.schemas().outbox(),
                        database.schemas().archive())
                .run(migrate, connections);
        DataSource dataSource = dataSource();
        OutboxSchema schema = database.schemas().outbox();
        OutboxSchema archive = database.schemas().archive();
        run(new OutboxMigrations(dataSource, schema, archive));
        modules.forEach((module) -> run(new OutboxMigrations(module, dataSource, schema, archive)));
        UnpooledDataSource.behind(database.dataSource())
                .ifPresent((unpooled) -> new PoolerCheck(database.dataSource(), unpooled).warn());
    }

    private void run(OutboxMigrations migrations) {
        if (migrate) {
            migrations.migrate();
        } else {
            migrations.validate();
        }
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
