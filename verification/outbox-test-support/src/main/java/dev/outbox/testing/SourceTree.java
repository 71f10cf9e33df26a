package dev.outbox.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Files of the project, for tests that check sources and documentation; build output, packages of npm and hidden folders are left out. */
public final class SourceTree {

    public static final Path ROOT = root(Path.of("").toAbsolutePath());

    private static final Pattern SKIPPED = Pattern.compile("target|node_modules|\\..+");

    private SourceTree() {}

    private static Path root(Path module) {
        return Stream.of(module, module.resolve(".."), module.resolve("../.."), module.resolve("../../.."))
                .filter((directory) -> Files.exists(directory.resolve("outbox-bom")))
                .findFirst()
                .orElseThrow()
                .normalize();
    }

    /** Finds the files below a folder whose path, relative to the project, matches a regular expression, in the order of their paths. */
    public static List<Path> files(String folder, String regex) {
        Pattern pattern = Pattern.compile(regex);
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(ROOT.resolve(folder), new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    return !directory.equals(ROOT)
                                    && SKIPPED.matcher(directory.getFileName().toString())
                                            .matches()
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (pattern.matcher(relative(file)).matches()) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        return found.stream().sorted().toList();
    }

    /** Reads the sources of all test classes by simple name; sources of one name are joined. */
    public static Map<String, String> tests() {
        Map<String, String> tests = new TreeMap<>();
        files("", "(verification/)?outbox-[^/]+/src/test/java/.*Test\\.java")
                .forEach((file) ->
                        tests.merge(file.getFileName().toString().replace(".java", ""), read(file), String::concat));
        return tests;
    }

    /** Finds all pages of the documentation. */
    public static List<Path> pages() {
        return files("", ".*\\.md");
    }

    /** Gives the path below the project, with slashes. */
    public static String relative(Path file) {
        return ROOT.relativize(file).toString().replace('\\', '/');
    }

    public static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
