package dev.outbox.spring.guides;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.testing.SourceTree;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The queries of the deployment checklist run on the tables of the outbox. */
@Tag("full")
class ChecklistTest {

    private static final Pattern SQL = Pattern.compile("^ *```sql\\R(.*?)^ *```$", Pattern.DOTALL | Pattern.MULTILINE);

    @Test
    void everyQueryRuns() {
        String page = SourceTree.read(SourceTree.ROOT.resolve("docs/deployment.md"));
        List<String> queries = SQL.matcher(page)
                .results()
                .flatMap((block) -> block.group(1).lines())
                .map(String::strip)
                .filter((line) -> line.startsWith("SELECT") || line.startsWith("SHOW"))
                .map((line) -> line.substring(0, line.indexOf(';')))
                .toList();

        assertThat(queries).hasSizeGreaterThan(7);
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            Applications.on(database).run((context) -> {
                JdbcClient jdbc = context.getBean(JdbcClient.class);
                assertThat(queries)
                        .allSatisfy(
                                (query) -> assertThat(jdbc.sql(query).query().listOfRows())
                                        .as(query)
                                        .hasSize(1));
            });
        }
    }
}
