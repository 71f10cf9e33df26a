package dev.outbox.chaos.matrix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Cells to be run, on several rigs at the same time. */
final class Matrix {

    private final Path directory;
    private final int rigs;
    private final Queue<Cell> cells = new ConcurrentLinkedQueue<>();
    private final HitTable table = new HitTable();

    /** Creates a matrix without cells, whose facts and logs go to a directory. */
    Matrix(Path directory, int rigs) {
        this.directory = directory;
        this.rigs = rigs;
    }

    /** Adds cells to those that are to be run. */
    void add(List<Cell> more) {
        cells.addAll(more);
    }

    /** Runs all cells, and writes the table to the directory. */
    HitTable run() {
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= rigs; i++) {
            Path own = directory.resolve("rig-" + i);
            Thread thread = new Thread(() -> runOn(own), "rig-" + i);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            join(thread);
        }
        try {
            Files.writeString(directory.resolve("table.txt"), table.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return table;
    }

    private void runOn(Path own) {
        try (Rig rig = new Rig(own)) {
            for (Cell cell = cells.poll(); cell != null; cell = cells.poll()) {
                table.add(rig.run(cell));
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the matrix runs", e);
        }
    }
}
