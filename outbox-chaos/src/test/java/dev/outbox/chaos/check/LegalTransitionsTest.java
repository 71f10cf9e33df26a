package dev.outbox.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class LegalTransitionsTest {

    private static final Pattern ROW = Pattern.compile("^\\| `([A-Z]+)` \\| `([A-Z]+)` \\|", Pattern.MULTILINE);

    @Test
    void transitionsAreThoseOfTheDocumentation() throws IOException {
        String[] sections = Files.readString(Path.of("..", "docs", "states.md")).split("\n## ", -1);

        assertThat(sections).hasSize(3);
        assertThat(transitions(sections[1])).isEqualTo(LegalTransitions.OF_EVENTS);
        assertThat(transitions(sections[2])).isEqualTo(LegalTransitions.OF_DELIVERIES);
    }

    private static Set<String> transitions(String section) {
        Set<String> found = new TreeSet<>();
        Matcher row = ROW.matcher(section);
        while (row.find()) {
            found.add(row.group(1) + " " + row.group(2));
        }
        return found;
    }
}
