package dev.outbox.chaos.matrix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/** Cells to be run, on several rigs at the same time. */
final class Matrix {

    private final Path directory;
    private final Queue<Cell> cells;
    private final HitTable table = new HitTable();

    /** Creates a matrix whose facts and logs go to a directory. */
    Matrix(Path directory, List<Cell> cells) {
        this.directory = directory;
        this.cells = new ConcurrentLinkedQueue<>(cells);
    }

    /** Runs all cells, and writes the table to the directory. */
    HitTable run(int rigs) {
        CompletableFuture<?>[] running =
                IntStream.rangeClosed(1, rigs).mapToObj(this::start).toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(running).join();
        try {
            Files.writeString(directory.resolve("table.txt"), table.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return table;
    }

    private CompletableFuture<Void> start(int number) {
        String name = "rig-" + number;
        return CompletableFuture.runAsync(
                () -> runOn(directory.resolve(name)), (task) -> new Thread(task, name).start());
    }

    private void runOn(Path own) {
        try (Rig rig = new Rig(own)) {
            for (Cell cell = cells.poll(); cell != null; cell = cells.poll()) {
                table.add(rig.run(cell));
            }
        }
    }
}
