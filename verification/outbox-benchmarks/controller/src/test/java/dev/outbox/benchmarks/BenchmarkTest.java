package dev.outbox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.benchmarks.options.Options;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Smallest benchmark with real servers and processes: shows that it works, not how fast. */
@Tag("full")
class BenchmarkTest {

    @TempDir
    private Path directory;

    @Test
    void smallestBenchmarkMeasuresPublishingDrainingAndLatency() throws Exception {
        new Benchmark(options()).run();

        JsonNode results = JsonMapper.shared().readTree(Files.readString(directory.resolve("results.json")));
        assertThat(results.at("/server/fsync").asString()).isEqualTo("on");
        assertThat(results.get("runs").findValuesAsString("outbox.poller.batch-size"))
                .contains("2000");
        JsonNode published = figures(results, "publish", "outbox");
        assertThat(published.get("transactions/s").asDouble()).isPositive();
        assertThat(published.get("worker CPU µs/event").asDouble()).isPositive();
        assertThat(published.get("missing").asInt()).isZero();
        JsonNode drained = figures(results, "drain", "outbox");
        assertThat(drained.get("finished").asInt()).isOne();
        assertThat(drained.get("missing").asInt()).isZero();
        assertThat(drained.get("out of order").asInt()).isZero();
        assertThat(drained.get("WAL B/event").asDouble()).isBetween(100.0, 100_000.0);
        assertThat(figures(results, "drain", "floor").get("finished").asInt()).isOne();
        JsonNode latency = figures(results, "latency", "outbox");
        assertThat(latency.get("missing").asInt()).isZero();
        assertThat(latency.get("commit to handler p99 ms").asDouble()).isPositive();
        assertThat(Files.readString(directory.resolve("results.md"))).contains("## drain, events 300", "| floor |");
        assertThat(Files.readString(directory.resolve("drain.svg"))).contains("outbox (tuned)", "floor");
        assertThat(directory.resolve("publish.svg")).exists();
        assertThat(directory.resolve("latency.svg")).exists();
    }

    @Test
    void unknownWorkloadIsRefused() {
        Properties properties = new Properties();
        properties.put("benchmark.workloads", "harm-nothing");

        assertThatThrownBy(() -> new Benchmark(new Options(properties)))
                .hasMessageContaining("harm-claim")
                .hasMessageContaining("harm-nothing");
    }

    private Options options() {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "benchmark.workloads", "publish,drain,latency",
                "benchmark.contestants", "outbox,floor",
                "benchmark.variants", "tuned",
                "benchmark.rounds", "1",
                "benchmark.limit", "60",
                "benchmark.results", directory.toString(),
                "benchmark.server.shared_buffers", "64MB"));
        properties.putAll(Map.of(
                "benchmark.contestants.directory", System.getProperty("benchmark.contestants.directory"),
                "benchmark.heap", "128m",
                "benchmark.jvm", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
                "benchmark.threads", "2",
                "benchmark.poller", "on",
                "benchmark.rate", "50",
                "benchmark.process", "same",
                "benchmark.warmup", "0",
                "benchmark.seconds", "1"));
        properties.putAll(Map.of(
                "benchmark.events", "300",
                "benchmark.keys", "10",
                "benchmark.work", "0",
                "benchmark.failing", "0",
                "benchmark.instances", "1",
                "benchmark.warmup-events", "200"));
        return new Options(properties);
    }

    private static JsonNode figures(JsonNode results, String workload, String contestant) {
        return StreamSupport.stream(results.get("runs").spliterator(), false)
                .filter((run) -> run.get("workload").asString().equals(workload)
                        && run.get("contestant").asString().equals(contestant))
                .peek((run) -> assertThat(run.get("failure").asString()).isEmpty())
                .map((run) -> run.get("figures"))
                .findFirst()
                .orElseThrow();
    }
}
