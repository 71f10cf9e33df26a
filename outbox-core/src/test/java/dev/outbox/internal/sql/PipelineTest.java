package dev.outbox.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.outbox.fixture.FreezingNetwork;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Which statement a result is read from, and what ends a transaction that arrived in part. */
class PipelineTest {

    private static final String ONE = "SELECT 'one', 1";
    private static final String TWO = "SELECT 'two', 2";
    private static final String THREE = "SELECT 'three', 3";
    private static final Duration LONGEST = Duration.ofSeconds(1);

    private final Pipeline pipeline = new Pipeline(OutboxSchema.DEFAULT, ONE, TWO, THREE);

    @Test
    void resultIsThatOfItsStatementOrTheLast() throws SQLException {
        int named = read((results) -> results.row(TWO).getInt(2));
        Map<String, Integer> byColumn = read((results) -> results.map(TWO, (row) -> row.getInt(2)));
        List<Integer> last = read((results) -> results.list((row) -> row.getInt(2)));

        assertThat(named).isEqualTo(2);
        assertThat(byColumn).containsEntry("two", 2);
        assertThat(last).containsExactly(3);
    }

    @Test
    void passedAndUnknownResultsAreRefused() {
        assertThatThrownBy(() -> read((results) -> {
                    results.row(TWO);
                    return results.row(ONE);
                }))
                .hasMessageContaining(ONE);
        assertThatThrownBy(() -> read((results) -> results.row("SELECT 4"))).hasMessageContaining("SELECT 4");
    }

    @Test
    void statementStandsOnceInAPipeline() {
        assertThatThrownBy(() -> new Pipeline(OutboxSchema.DEFAULT, ONE, TWO, ONE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Nothing else would end it: the server waits for the rest of the messages, and the client's computer is there to answer for it. */
    @Test
    void lockOfATransactionThatArrivedInPartEndsWhenItsClientGivesUp() throws Exception {
        assumeThat(TestPostgres.shared().majorVersion())
                .as("earlier versions know no transaction_timeout")
                .isGreaterThanOrEqualTo(17);
        Pipeline locking = new Pipeline(OutboxSchema.DEFAULT, "SELECT pg_advisory_xact_lock(1)").lasting(LONGEST);
        try (TestDatabase database = TestPostgres.shared().newDatabase();
                FreezingNetwork network = new FreezingNetwork(database);
                Connection another = database.dataSource().getConnection()) {
            network.freezeMidway("COMMIT");
            assertThatThrownBy(() -> locking.run(network.dataSource(), (parameters) -> {}))
                    .hasRootCauseInstanceOf(SocketTimeoutException.class);
            try (Statement statement = another.createStatement()) {
                statement.execute("SET lock_timeout = '5s'");
                statement.execute("SELECT pg_advisory_lock(1)");
            }
        }
    }

    /** Nothing here can take a computer off the network: TCP of this one would answer for it. */
    @Test
    void serverAsksWhetherTheClientIsThereUntilTheTransactionEnds() throws SQLException {
        Pipeline asking =
                new Pipeline(OutboxSchema.DEFAULT, "SELECT " + NetworkTimeout.OF_SERVER, "SHOW tcp_keepalives_idle");
        try (TestDatabase database = TestPostgres.shared().newDatabase();
                Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            String during = asking.run(
                    new SingleConnectionDataSource(connection, true),
                    (parameters) -> {},
                    (results) -> results.row().getString(1));
            ResultSet after = statement.executeQuery("SHOW tcp_keepalives_idle");

            assertThat(during).isEqualTo("10");
            assertThat(after.next()).isTrue();
            assertThat(after.getString(1)).isNotEqualTo("10");
        }
    }

    private <T> T read(Pipeline.Reader<T> reader) throws SQLException {
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            return pipeline.run(database.dataSource(), (parameters) -> {}, reader);
        }
    }
}
