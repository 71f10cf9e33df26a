package dev.outbox.chaos.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Directory of a run, which an earlier run with the same seed leaves behind. */
final class RunDirectory {

    private RunDirectory() {}

    /** Creates an empty directory for facts and logs, and says where it is. */
    static Path create(String scenario, long seed) throws IOException {
        Path directory = Path.of("target", scenario, String.valueOf(seed));
        System.out.println("Run of " + scenario + " with seed " + seed
                + "; facts and logs are in verification/outbox-chaos/" + directory);
        deleteEarlierRun(directory);
        return Files.createDirectories(directory);
    }

    private static void deleteEarlierRun(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
