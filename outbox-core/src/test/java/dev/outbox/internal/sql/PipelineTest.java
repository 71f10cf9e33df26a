package dev.outbox.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which statement a result is read from. */
class PipelineTest {

    private static final String ONE = "SELECT 'one', 1";
    private static final String TWO = "SELECT 'two', 2";
    private static final String THREE = "SELECT 'three', 3";

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

    private <T> T read(Pipeline.Reader<T> reader) throws SQLException {
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            return pipeline.run(database.dataSource(), (parameters) -> {}, reader);
        }
    }
}
