package dev.outbox.repair;

import dev.outbox.Delivery;
import dev.outbox.DeliverySelection;
import dev.outbox.store.DeliveryFindStore;
import java.sql.SQLException;
import java.util.List;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLStateSQLExceptionTranslator;

/**
 * What an operator may ask and do while everything goes on. Works whether the outbox of this process is started or not. Safe for use by
 * many threads.
 *
 * <p>Each call uses a connection and transactions of its own, and waits for one of the pool. A transaction that the calling thread is in
 * is neither used nor affected: its rollback does not undo what was done here.
 *
 * <p>Every method throws {@link dev.outbox.InvalidOperationException} before any SQL runs if a value breaks a rule, and a
 * {@link DataAccessException} if the database refused or could not be reached.
 */
public final class OutboxOperations {

    private final DeliveryFindStore deliveries;

    /**
     * Creates operations.
     *
     * @param deliveries finds deliveries
     */
    public OutboxOperations(DeliveryFindStore deliveries) {
        this.deliveries = deliveries;
    }

    /**
     * Finds deliveries that are to be attempted again, wait for their turn, or are dead: those of the oldest events first. For the next
     * page, say {@link DeliverySelection#after} which one the last page has ended.
     *
     * @param selection which deliveries
     * @param limit at most how many; at least 1
     * @return the deliveries
     */
    public List<Delivery> find(DeliverySelection selection, int limit) {
        OperationRules.check(selection);
        OperationRules.check(limit);
        return call("find deliveries", () -> deliveries.find(selection, limit));
    }

    /**
     * Counts deliveries that are to be attempted again, wait for their turn, or are dead.
     *
     * @param selection which deliveries
     * @return how many there are
     */
    public long count(DeliverySelection selection) {
        OperationRules.check(selection);
        return call("count deliveries", () -> deliveries.count(selection));
    }

    private interface Work<T> {
        T run() throws SQLException;
    }

    private static <T> T call(String task, Work<T> work) {
        try {
            return work.run();
        } catch (SQLException ex) {
            DataAccessException translated = new SQLStateSQLExceptionTranslator().translate(task, null, ex);
            throw translated != null ? translated : new UncategorizedSQLException(task, null, ex);
        }
    }
}
