package dev.outbox.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.function.Predicate;

/** Copies of the files in a server's data directory. */
final class DataFiles {

    private static final String LOG = "pg_wal";
    private static final Set<String> OF_THE_PROCESS = Set.of("postmaster.pid", "postmaster.opts");

    private DataFiles() {}

    /** Copies everything, while the server is stopped. */
    static void copy(Path from, Path to) {
        copy(from, to, (file) -> true);
    }

    /** Copies everything but the write-ahead log, while the server runs: files come and go. */
    static void copyRunning(Path from, Path to) {
        copy(from, to, (file) -> !file.startsWith(LOG));
    }

    /** Copies the write-ahead log, while the server runs. */
    static void copyLog(Path from, Path to) {
        copy(from.resolve(LOG), to.resolve(LOG), (file) -> true);
    }

    private static void copy(Path from, Path to, Predicate<Path> wanted) {
        try {
            Files.walkFileTree(from, new Copy(from, to, wanted));
        } catch (IOException e) {
            throw new UncheckedIOException("The data directory could not be copied", e);
        }
    }

    /** Copies what it visits. */
    private static final class Copy extends SimpleFileVisitor<Path> {

        private final Path from;
        private final Path to;
        private final Predicate<Path> wanted;

        Copy(Path from, Path to, Predicate<Path> wanted) {
            this.from = from;
            this.to = to;
            this.wanted = wanted;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
            Path copy = to.resolve(from.relativize(directory));
            if (!Files.exists(copy)) {
                Files.copy(directory, copy, StandardCopyOption.COPY_ATTRIBUTES);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Path name = from.relativize(file);
            if (!OF_THE_PROCESS.contains(name.toString()) && wanted.test(name)) {
                try {
                    Files.copy(file, to.resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
                } catch (NoSuchFileException e) {
                    return FileVisitResult.CONTINUE;
                }
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }
    }
}
