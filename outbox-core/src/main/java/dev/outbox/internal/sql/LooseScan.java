package dev.outbox.internal.sql;

/** Finds the distinct values of the first columns of an index with one look-up each, however many rows have them. */
public final class LooseScan {

    private static final String SCAN = """
            {name} AS (
                (SELECT {columns} FROM {schema}.{table} d WHERE {condition} ORDER BY {columns} LIMIT 1)
                 UNION ALL
                SELECT next.*
                  FROM {name} x
                 CROSS JOIN LATERAL (SELECT {columns}
                                       FROM {schema}.{table} d
                                      WHERE ({columns}) > ({found})
                                        AND {condition}
                                      ORDER BY {columns}
                                      LIMIT 1) next
            )""";

    private LooseScan() {}

    /** Returns a query of a {@code WITH RECURSIVE}: the values of the columns of {@code d} in a table, in their order. */
    public static String of(String name, String table, String columns, String condition) {
        return SCAN.replace("{name}", name)
                .replace("{table}", table)
                .replace("{columns}", columns)
                .replace("{found}", columns.replace("d.", "x."))
                .replace("{condition}", condition);
    }

    /** Returns the same for all deliveries. */
    public static String ofDeliveries(String name, String columns) {
        return of(name, "outbox_delivery", columns, "true");
    }
}
