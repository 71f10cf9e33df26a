package dev.outbox.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outbox.fixture.TestOutbox;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class NamedSqlTest {

    @Test
    void replacesNamesOnly() {
        String sql = """
                SELECT ':text', ":name", :id::bigint -- :comment it's
                  FROM t WHERE it = 'it''s :quoted' AND other = :other_id
                """;

        assertThat(new NamedSql(sql).positional()).isEqualTo("""
                SELECT ':text', ":name", ?::bigint -- :comment it's
                  FROM t WHERE it = 'it''s :quoted' AND other = ?
                """);
    }

    @Test
    void readsStatementsOfFileWithoutComments() {
        assertThat(NamedSql.of(NamedSqlTest.class, "statements.sql", "one")).isEqualTo("SELECT 1\n");
        assertThat(NamedSql.of(NamedSqlTest.class, "statements.sql", "two")).isEqualTo("""
                WITH two AS (
                    SELECT 2 AS number
                )
                SELECT two.number
                  FROM two
                """);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NamedSql.of(NamedSqlTest.class, "statements.sql", "three"))
                .withMessage("statements.sql has no statement 'three'");
        assertThatIllegalStateException()
                .isThrownBy(() -> NamedSql.of(NamedSqlTest.class, "other.sql", "one"))
                .withMessageContaining("other.sql");
    }

    @Test
    void setsRepeatedNameOnce() throws SQLException {
        NamedSql sql = new NamedSql("SELECT :a::int - :b::int + :a::int");
        try (TestOutbox outbox = TestOutbox.create();
                Connection connection = outbox.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql.positional())) {
            NamedSql.Parameters parameters = sql.bind(statement).set("b", 1).set("a", 21);
            parameters.requireAll();
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                assertThat(rows.getInt(1)).isEqualTo(41);
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> parameters.set("c", 1))
                    .withMessageContaining(":c");
            assertThatIllegalStateException()
                    .isThrownBy(() -> sql.bind(statement).set("a", 1).requireAll())
                    .withMessageContaining("[b]");
        }
    }
}
