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

/** The queries of the deployment checklist and of the symptoms run on the tables of the outbox. */
@Tag("full")
class ChecklistTest {

    private static final Pattern SQL = Pattern.compile("^ *```sql\\R(.*?)^ *```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern STATEMENT =
            Pattern.compile("^ *((?:SELECT|SHOW).*?);", Pattern.DOTALL | Pattern.MULTILINE);

    @Test
    void everyQueryRuns() {
        List<String> checklist = queries("docs/deployment.md");
        List<String> symptoms = queries("docs/symptoms.md");

        assertThat(checklist).hasSizeGreaterThan(7);
        assertThat(symptoms).hasSizeGreaterThan(2);
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            Applications.on(database).run((context) -> {
                JdbcClient jdbc = context.getBean(JdbcClient.class);
                assertThat(checklist)
                        .allSatisfy(
                                (query) -> assertThat(jdbc.sql(query).query().listOfRows())
                                        .as(query)
                                        .hasSize(1));
                assertThat(symptoms)
                        .allSatisfy((query) -> jdbc.sql(query).query().listOfRows());
            });
        }
    }

    private static List<String> queries(String page) {
        return SQL.matcher(SourceTree.read(SourceTree.ROOT.resolve(page)))
                .results()
                .flatMap((block) -> STATEMENT.matcher(block.group(1)).results())
                .map((statement) -> statement.group(1))
                .toList();
    }
}
