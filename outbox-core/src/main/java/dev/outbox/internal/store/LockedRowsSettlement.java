package dev.outbox.internal.store;

import dev.outbox.internal.store.SettlementStore.Settled;
import dev.outbox.internal.store.SettlementStore.Settlement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import javax.sql.DataSource;

/** Settles a claim while somebody else holds rows of its events locked, without waiting for these. */
final class LockedRowsSettlement {

    /**
     * Relies on outbox_unpublished_pk. What comes after an event that is left over, in the same aggregate, is left over too: its
     * deliveries must not get ahead.
     */
    private static final String WRITABLE_ROWS = """
            unlocked AS MATERIALIZED (
                SELECT o.id, o.aggregate_type, o.aggregate_id, o.aggregate_seq
                  FROM {schema}.outbox_unpublished o
                 WHERE o.id = ANY (:events)
                   AND o.status = 'PENDING'
                 ORDER BY o.id
                   FOR UPDATE SKIP LOCKED
            ), locked AS (
                SELECT o.aggregate_type, o.aggregate_id, min(o.aggregate_seq) AS aggregate_seq
                  FROM {schema}.outbox_unpublished o
                 WHERE o.id = ANY (:events)
                   AND o.status = 'PENDING'
                   AND o.id NOT IN (SELECT unlocked.id FROM unlocked)
                 GROUP BY o.aggregate_type, o.aggregate_id
            ), writable AS (
                SELECT unlocked.id
                  FROM unlocked
                 WHERE NOT EXISTS (SELECT
                                     FROM locked
                                    WHERE locked.aggregate_type = unlocked.aggregate_type
                                      AND locked.aggregate_id = unlocked.aggregate_id
                                      AND locked.aggregate_seq < unlocked.aggregate_seq)
            ),\s""";

    private static final String AND_WRITABLE = """

                   AND o.id IN (SELECT writable.id FROM writable)""";

    /** Relies on outbox_unpublished_pk. */
    private static final String LEFT_OVER = """
            SELECT o.id
              FROM {schema}.outbox_unpublished o
             WHERE o.id = ANY (:events)
               AND o.status = 'PENDING'
            """;

    /** Relies on outbox_claim_pk and outbox_unpublished_pk. */
    private static final String END_CLAIM = """
            DELETE FROM {schema}.outbox_claim c
             WHERE {held}
               AND :last
               AND NOT EXISTS (SELECT FROM {schema}.outbox_unpublished o WHERE o.id = ANY (:events) AND o.status = 'PENDING')
            """.replace("{held}", ClaimSql.HELD);

    private final DataSource dataSource;
    private final Pipeline settle;

    LockedRowsSettlement(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.settle = new Pipeline(
                schema,
                SettlementStore.LOCK_CLAIM,
                LaneSql.LOCK_LANES_OF_EVENTS,
                writableOnly(SettlementStore.PARK),
                writableOnly(SettlementStore.MOVE.replace("{fence}", SettlementStore.KEEP_CLAIM)),
                LEFT_OVER,
                SettlementStore.SHRINK_CLAIM,
                END_CLAIM);
    }

    private static String writableOnly(String sql) {
        return sql.replace("{writable rows}", WRITABLE_ROWS).replace("{and writable}", AND_WRITABLE);
    }

    Settled settle(Settlement settlement) throws SQLException {
        return settle.run(
                dataSource,
                (parameters) -> {
                    SettlementStore.bindSucceeded(parameters, settlement);
                    SettlementStore.bindParked(parameters, settlement);
                    parameters.set("last", settlement.last());
                },
                LockedRowsSettlement::readSettled);
    }

    private static Settled readSettled(Pipeline.Results results) throws SQLException {
        results.skip(3);
        ResultSet fence = results.rows();
        fence.next();
        boolean claimHeld = fence.getInt(1) == 1;
        Set<Long> leftOver = new HashSet<>();
        ResultSet row = results.rows();
        while (row.next()) {
            leftOver.add(row.getLong(1));
        }
        return new Settled(claimHeld, claimHeld ? leftOver : Set.of());
    }
}
