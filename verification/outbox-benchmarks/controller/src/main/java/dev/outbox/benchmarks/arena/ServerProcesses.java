package dev.outbox.benchmarks.arena;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Processes of a server in {@code /proc}: the postmaster, its children, and those that have ended. Times have a unit of
 * 10 ms on every Linux.
 *
 * @param postmaster the process id of the postmaster; empty without {@code /proc}
 */
record ServerProcesses(Optional<Long> postmaster) {

    private static final Path PROC = Path.of("/proc");
    private static final long TICK_NANOS = Duration.ofMillis(10).toNanos();

    static ServerProcesses of(long backend) {
        Optional<Stat> stat = Stat.read(PROC.resolve(Long.toString(backend)));
        return new ServerProcesses(stat.map(Stat::parent));
    }

    long cpuNanos() throws IOException {
        if (postmaster.isEmpty()) {
            return 0;
        }
        long ticks = Stat.read(PROC.resolve(postmaster.get().toString()))
                .map((stat) -> stat.own() + stat.children())
                .orElse(0L);
        for (Path process : processes()) {
            ticks += Stat.read(process)
                    .filter((stat) -> stat.parent() == postmaster.get())
                    .map(Stat::own)
                    .orElse(0L);
        }
        return ticks * TICK_NANOS;
    }

    private static List<Path> processes() throws IOException {
        try (Stream<Path> all = Files.list(PROC)) {
            return all.filter((file) ->
                            Character.isDigit(file.getFileName().toString().charAt(0)))
                    .toList();
        }
    }

    /** Processor time of a process, and of its children that have ended. */
    private record Stat(long parent, long own, long children) {

        static Optional<Stat> read(Path process) {
            try {
                String stat = Files.readString(process.resolve("stat"));
                // The name in parentheses may contain spaces; fields 3 and up follow it.
                String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
                return Optional.of(new Stat(
                        Long.parseLong(fields[1]),
                        Long.parseLong(fields[11]) + Long.parseLong(fields[12]),
                        Long.parseLong(fields[13]) + Long.parseLong(fields[14])));
            } catch (IOException ex) {
                // The process has ended, or there is no /proc.
                return Optional.empty();
            }
        }
    }
}
