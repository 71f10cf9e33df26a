package dev.outbox.benchmarks.options;

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

    private static Options options(Map<String, String> values) {
        Properties properties = new Properties();
        properties.putAll(values);
        return new Options(properties);
    }
}
