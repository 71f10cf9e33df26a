package dev.outbox.sample.tour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The test of the tour would notice. */
class TourOutputTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{\"count\":3}; {\"count\":3}; true",
                "{\"count\":3}; {\"count\":4}; false",
                "{\"count\":3}; {\"count\":3}1; false",
                "{\"count\":…}; {\"count\":42}; true",
                "{\"count\":…}; {\"count\":}; false",
                "{\"id\":\"…\"}; {\"id\":\"2026-11-21T13:06:01Z\"}; true",
                "{\"id\":\"…\"}; {\"id\":\"1\",\"more\":\"2\"}; false",
                "{\"id\":…,…}; {\"id\":1,\"roles\":[],\"more\":2}; true",
                "{\"id\":…,…,\"b\":1}; {\"id\":1,\"a\":2,\"b\":1}; true",
                "{\"id\":…,…,\"b\":1}; {\"id\":1,\"a\":2,\"b\":3}; false",
                "{\"all\":[…]}; {\"all\":[\"a\",\"b\"]}; true",
                "{\"all\":[…]}; {\"all\":[\"a\",[]]}; false",
                " id |  status  | error; id | status | error; true",
                " 1 | DEAD | ; 1 | DEAD | x; false",
                "----+------; ---+---; true"
            })
    void outputIsComparedValueByValue(String shown, String actual, boolean same) {
        assertThat(TourOutput.matches(shown, actual)).isEqualTo(same);
    }

    @Test
    void commandsAndTheirOutputsAreRead() {
        List<TourStep> steps = TourStep.of(
                "page.md",
                List.of(
                        "```console",
                        "$ curl localhost:8080/a -d '{\"b\": \"c d\"}'",
                        "{}",
                        "$ psql $DB -c \"SELECT 'x'",
                        "        FROM y\"",
                        "1",
                        "2",
                        "```",
                        "$ no command"));

        assertThat(steps).extracting(TourStep::line).containsExactly(2, 4);
        assertThat(steps).extracting(TourStep::shown).containsExactly("{}", "1\n2");
        assertThat(steps)
                .extracting(TourStep::command)
                .containsExactly(
                        "curl localhost:8080/a -d '{\"b\": \"c d\"}'", "psql $DB -c \"SELECT 'x'\n        FROM y\"");
        assertThat(steps).extracting(TourStep::isQuestion).containsExactly(false, true);
    }

    @Test
    void outputWithoutACommandIsRefused() {
        assertThatThrownBy(() -> TourStep.of("page.md", List.of("```console", "{}", "```")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("line 2 belongs to no command: {}");
    }
}
