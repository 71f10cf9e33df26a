package dev.outbox.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.benchmarks.options.Options;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class WorkloadsTest {

    @Test
    void furtherValuesVaryTheBaseOneAtATime() {
        Options options = options(Map.of(
                "benchmark.events", "100",
                "benchmark.keys", "10,1",
                "benchmark.work", "0",
                "benchmark.handlers", "1,3",
                "benchmark.failing", "0",
                "benchmark.instances", "1"));

        assertThat(new Workloads(options).drain())
                .extracting(Workload::parameters)
                .extracting((parameters) -> parameters.get("keys") + "/" + parameters.get("handlers"))
                .containsExactly("10/1", "1/1", "10/3");
    }

    private static Options options(Map<String, String> values) {
        Properties properties = new Properties();
        properties.putAll(values);
        return new Options(properties);
    }
}
