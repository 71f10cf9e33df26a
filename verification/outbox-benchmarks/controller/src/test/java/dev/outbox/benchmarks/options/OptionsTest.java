package dev.outbox.benchmarks.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class OptionsTest {

    @Test
    void misspeltOptionIsRefused() {
        Options options = options(Map.of("benchmark.event", "10", "unrelated", "x"));
        options.number("events", 1);

        assertThatThrownBy(options::checkAllAreKnown).hasMessageContaining("[event]");
    }

    @Test
    void furtherValuesVaryTheBaseCaseOneAtATime() {
        Options options = options(Map.of("benchmark.harm.keys", "10,1", "benchmark.harm.handlers", "1,3"));

        assertThat(options.cases("harm.", Options.defaults("events=100 keys=5 handlers=1")))
                .extracting(Case::values)
                .containsExactly(
                        Map.of("events", "100", "keys", "10", "handlers", "1"),
                        Map.of("events", "100", "keys", "1", "handlers", "1"),
                        Map.of("events", "100", "keys", "10", "handlers", "3"));
        options.checkAllAreKnown();
    }

    private static Options options(Map<String, String> values) {
        Properties properties = new Properties();
        properties.putAll(values);
        return new Options(properties);
    }
}
