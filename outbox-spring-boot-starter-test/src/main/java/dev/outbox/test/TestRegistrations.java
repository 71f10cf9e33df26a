package dev.outbox.test;

import dev.outbox.internal.runtime.OutboxRuntime;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/** Registers the handlers of a test context while it runs. Registrations that were there before stay. */
final class TestRegistrations {

    private static final Logger log = LoggerFactory.getLogger(TestRegistrations.class);

    private final JdbcClient jdbc;
    private final TransactionTemplate transactions;
    private final String schema;
    private final OutboxRuntime runtime;
    private final Set<String> handlersBefore = new HashSet<>();
    private final Set<Subscription> subscriptionsBefore = new HashSet<>();

    TestRegistrations(DataSource dataSource, String schema, OutboxRuntime runtime) {
        this.jdbc = JdbcClient.create(dataSource);
        this.transactions = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        this.schema = schema;
        this.runtime = runtime;
    }

    void add(Registration registration) throws SQLException {
        handlersBefore.clear();
        subscriptionsBefore.clear();
        handlersBefore.addAll(query("SELECT id FROM {schema}.outbox_handler")
                .query(String.class)
                .set());
        subscriptionsBefore.addAll(query("SELECT handler_id, event_type FROM {schema}.outbox_subscription")
                .query((row, number) -> new Subscription(row.getString(1), row.getString(2)))
                .set());
        registration.register();
    }

    /** Adds the handlers of this instance to the registry. */
    @FunctionalInterface
    interface Registration {
        void register() throws SQLException;
    }

    private record Subscription(String handlerId, String eventType) {}

    /** Removes what this context registered. Ignores a database that has stopped already. */
    void remove() {
        try {
            transactions.executeWithoutResult((status) -> removeOwn(runtime.eventTypesByHandler()));
        } catch (DataAccessException | TransactionException ex) {
            log.debug("The registrations of the test's handlers could not be removed", ex);
        }
    }

    private void removeOwn(Map<String, Set<String>> eventTypes) {
        run("LOCK TABLE {schema}.outbox_handler IN SHARE ROW EXCLUSIVE MODE");
        eventTypes.forEach((handlerId, types) -> {
            types.stream()
                    .filter((type) -> !subscriptionsBefore.contains(new Subscription(handlerId, type)))
                    .forEach((type) -> run(
                            "DELETE FROM {schema}.outbox_subscription WHERE handler_id = ? AND event_type = ?",
                            handlerId,
                            type));
            if (!handlersBefore.contains(handlerId)) {
                run("DELETE FROM {schema}.outbox_handler WHERE id = ?", handlerId);
            }
        });
        run("UPDATE {schema}.outbox_stream SET registry_version = registry_version + 1");
    }

    private void run(String sql, Object... parameters) {
        query(sql).params(parameters).update();
    }

    private JdbcClient.StatementSpec query(String sql) {
        return jdbc.sql(sql.replace("{schema}", schema));
    }
}
