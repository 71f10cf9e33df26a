package dev.outbox.benchmarks.report;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Machine that the figures depend on. */
final class Machine {

    private static final Path CPU = Path.of("/proc/cpuinfo");
    private static final Path MEMORY = Path.of("/proc/meminfo");

    private static final int SYNCS = 51;
    private static final int PAGE = 8192;

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
        machine.put("fsync of 8 kB", fsync());
        return machine;
    }

    /** Measures the minimal wait of a durable commit: the median of many writes, where the servers keep their data. */
    private static String fsync() {
        try {
            Path file = Files.createTempFile("fsync", "");
            long[] nanos = new long[SYNCS];
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                for (int sync = 0; sync < SYNCS; sync++) {
                    channel.write(ByteBuffer.allocate(PAGE));
                    long begun = System.nanoTime();
                    channel.force(false);
                    nanos[sync] = System.nanoTime() - begun;
                }
            } finally {
                Files.delete(file);
            }
            Arrays.sort(nanos);
            return String.format(Locale.ROOT, "%.2f ms", nanos[SYNCS / 2] / 1e6);
        } catch (IOException ex) {
            return "unknown";
        }
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
