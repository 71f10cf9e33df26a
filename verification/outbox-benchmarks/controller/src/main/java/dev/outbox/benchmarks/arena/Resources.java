package dev.outbox.benchmarks.arena;

import dev.outbox.benchmarks.options.Options;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Resources of all runs of a benchmark.
 *
 * @param contestants the directory of the contestants' modules
 * @param server settings of the server that replace the usual ones
 * @param properties Spring properties for every contestant
 * @param jvm the options of the workers' JVMs
 * @param limit the longest time that a run waits for deliveries
 */
public record Resources(
        Path contestants, Map<String, String> server, Map<String, String> properties, Jvm jvm, Duration limit) {

    /** Reads the resources from options. */
    public static Resources of(Options options) {
        return new Resources(
                Path.of(options.text("contestants.directory", "verification/outbox-benchmarks/contestants")),
                options.group("server."),
                options.group("property."),
                new Jvm(options.text("heap", "2g"), options.text("jvm", "")),
                Duration.ofSeconds(options.number("limit", 120)));
    }

    /**
     * Options of a JVM.
     *
     * @param heap the size of its heap, as in {@code -Xmx}
     * @param options other options, separated by spaces
     */
    public record Jvm(String heap, String options) {

        List<String> arguments() {
            Stream<String> others = Arrays.stream(options.split(" ", -1)).filter((option) -> !option.isEmpty());
            return Stream.concat(Stream.of("-Xms" + heap, "-Xmx" + heap), others)
                    .toList();
        }

        Jvm withHeap(String other) {
            return new Jvm(other, options);
        }
    }
}
