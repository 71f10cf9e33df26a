package dev.outbox.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** What the figures depend on beside the software. */
final class Machine {

    private static final Path CPU = Path.of("/proc/cpuinfo");
    private static final Path MEMORY = Path.of("/proc/meminfo");

    private Machine() {}

    static Map<String, String> describe() {
        Map<String, String> machine = new LinkedHashMap<>();
        machine.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
        machine.put("processor", first(CPU, "model name"));
        machine.put("memory", first(MEMORY, "MemTotal"));
        machine.put(
                "system",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        machine.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        return machine;
    }

    private static String first(Path file, String name) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter((line) -> line.startsWith(name))
                    .map((line) -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException ex) {
            return "unknown";
        }
    }
}
