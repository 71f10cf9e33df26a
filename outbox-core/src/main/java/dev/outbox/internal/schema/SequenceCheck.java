package dev.outbox.internal.schema;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Finds sequences that lag behind their columns, as in a database that was filled by logical replication or by a copy of tables only. New
 * events would get ids below those that wait, and overtake them; other sequences would refuse inserts.
 */
public final class SequenceCheck {

    private static final Logger log = LoggerFactory.getLogger(SequenceCheck.class);

    /** Reads the catalog, which every role may. Leaves out what the role could not compare; a table's name keeps out those of others. */
    private static final String OWNED = """
            SELECT quote_ident(n.nspname) || '.' || quote_ident(q.relname) AS sequence,
                   quote_ident(n.nspname) || '.' || quote_ident(t.relname) AS table,
                   quote_ident(a.attname) AS column,
                   has_sequence_privilege(q.oid, 'UPDATE') AS may_repair
              FROM pg_catalog.pg_namespace n
              JOIN pg_catalog.pg_class t ON t.relnamespace = n.oid
              JOIN pg_catalog.pg_depend d ON d.refclassid = t.tableoid AND d.refobjid = t.oid AND d.deptype IN ('a', 'i')
              JOIN pg_catalog.pg_class q ON d.classid = q.tableoid AND q.oid = d.objid
              JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
             WHERE (n.nspname = :schema AND t.relname LIKE 'outbox%' OR n.nspname = :archive AND t.relname = 'events')
               AND has_schema_privilege(n.oid, 'USAGE')
               AND has_column_privilege(t.oid, a.attnum, 'SELECT')
               AND CASE WHEN q.relkind = 'S' THEN has_sequence_privilege(q.oid, 'USAGE, SELECT') END
             ORDER BY sequence
            """;

    /** Relies on the primary key of the table, and of each partition. */
    static final String LARGEST = "SELECT coalesce(max({column}), 0) FROM {table}";

    private static final String LAST = "SELECT coalesce(pg_sequence_last_value('{sequence}'), 0)";

    /** One instance at a time moves sequences, so that none moves one back that another has moved. */
    private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('outbox sequences', 0))";

    /** The margin keeps ids that publishers draw meanwhile below it. */
    private static final String ADVANCE =
            "SELECT setval('{sequence}', {largest} + 1000) WHERE coalesce(pg_sequence_last_value('{sequence}'), 0) < {largest}";

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final DataSource dataSource;
    private final JdbcClient sql;
    private final OutboxSchema schema;
    private final OutboxSchema archive;

    public SequenceCheck(DataSource dataSource, OutboxSchema schema, OutboxSchema archive) {
        this.dataSource = dataSource;
        this.sql = JdbcClient.create(dataSource);
        this.schema = schema;
        this.archive = archive;
    }

    private record Sequence(String name, String table, String column, boolean mayRepair) {

        String render(String statement, long largest) {
            return statement
                    .replace("{sequence}", name.replace("'", "''"))
                    .replace("{table}", table)
                    .replace("{column}", column)
                    .replace("{largest}", Long.toString(largest));
        }
    }

    private record Lagging(Sequence sequence, long largest) {

        String advance() {
            return sequence.render(ADVANCE, largest);
        }

        @Override
        public String toString() {
            return sequence.name() + " (" + sequence.table() + " has " + sequence.column() + " " + largest + ")";
        }
    }

    /** Moves sequences that lag, as far as the role may, and throws an {@link OutboxConfigurationException} with the SQL for the others. */
    public void run() throws SQLException {
        List<Lagging> all = owned().stream()
                .flatMap((sequence) -> lagging(sequence).stream())
                .toList();
        List<Lagging> others =
                all.stream().filter((one) -> !one.sequence().mayRepair()).toList();
        if (!others.isEmpty()) {
            String statements = others.stream().map(Lagging::advance).collect(Collectors.joining("; "));
            throw new OutboxConfigurationException(
                    "sequences of the outbox lag behind their tables: " + text(others)
                            + ". The database was probably copied without its sequences, and new events would overtake those that wait",
                    "stop the publishers, and let the owner of the tables run: " + statements,
                    null);
        }
        if (!all.isEmpty()) {
            advance(all);
            log.warn(
                    "Moved sequences of the outbox that lagged behind their tables: {}. The database was probably copied without its"
                            + " sequences. Events that were published in it before this may be delivered before older ones of their aggregates",
                    text(all));
        }
    }

    private List<Sequence> owned() {
        return sql.sql(OWNED)
                .param("schema", schema.name())
                .param("archive", archive.name())
                .query((row, number) -> new Sequence(
                        row.getString("sequence"),
                        row.getString("table"),
                        row.getString("column"),
                        row.getBoolean("may_repair")))
                .list();
    }

    /** Reads the column first: the sequence has every number that is stored by then behind it. */
    private Optional<Lagging> lagging(Sequence sequence) {
        long largest = number(sequence.render(LARGEST, 0));
        long last = number(sequence.render(LAST, 0));
        return last < largest ? Optional.of(new Lagging(sequence, largest)) : Optional.empty();
    }

    private long number(String statement) {
        return sql.sql(statement).query(Long.class).single();
    }

    private static String text(List<Lagging> sequences) {
        return sequences.stream().map(Lagging::toString).collect(Collectors.joining(", "));
    }

    /** Moves them in one transaction, which commits as durably as those of publishers. */
    private void advance(List<Lagging> sequences) throws SQLException {
        Stream<String> statements = sequences.stream().map(Lagging::advance);
        Pipeline.durable(
                        schema,
                        LONGEST_WAIT,
                        Stream.concat(Stream.of(LOCK), statements).toArray(String[]::new))
                .run(dataSource, (parameters) -> {});
    }
}
