package dev.outbox.chaos.defect;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Copy of the core, compiled with a defect. */
final class DefectiveCore {

    private static final Path CORE = Path.of("..", "..", "outbox-core");
    private static final Path SOURCES = CORE.resolve(Path.of("src", "main", "java"));
    private static final Path RESOURCES = CORE.resolve(Path.of("src", "main", "resources"));
    private static final Path TESTS = CORE.resolve(Path.of("src", "test", "java"));

    private DefectiveCore() {}

    /** Compiles the core with a defect and returns the directory of its classes and resources. */
    static Path compile(Defect defect, Path directory) throws IOException {
        Path sources = copy(SOURCES, directory.resolve("sources"));
        Path classes = copy(RESOURCES, directory.resolve("classes"));
        for (Defect.Edit edit : defect.edits()) {
            Path file = find(edit.isResource() ? classes : sources, edit.file());
            Files.writeString(file, edit.applyTo(Files.readString(file)));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> found = Files.walk(sources)) {
            List<Path> all =
                    found.filter((path) -> path.toString().endsWith(".java")).toList();
            List<String> options = List.of("-proc:none", "-nowarn", "-parameters", "-d", classes.toString());
            Boolean compiled = compiler.getTask(
                            messages, files, null, options, null, files.getJavaFileObjectsFromPaths(all))
                    .call();
            if (!compiled) {
                throw new IllegalStateException("The core does not compile with: " + defect + "\n" + messages);
            }
        }
        return classes;
    }

    /** Fails if the source of the core has no place for a defect any more. */
    static void requirePlaceFor(Defect defect) throws IOException {
        for (Defect.Edit edit : defect.edits()) {
            Path file = find(edit.isResource() ? RESOURCES : SOURCES, edit.file());
            edit.applyTo(Files.readString(file));
        }
        for (String test : defect.tests()) {
            testClass(test);
        }
    }

    /** Returns the full name of a test class of the core. */
    static String testClass(String simpleName) throws IOException {
        String file = TESTS.relativize(find(TESTS, simpleName + ".java")).toString();
        return file.substring(0, file.length() - ".java".length()).replace(File.separatorChar, '.');
    }

    private static Path find(Path directory, String fileName) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> found = files.filter((file) -> file.endsWith(fileName)).toList();
            if (found.size() != 1) {
                throw new IllegalStateException("The core must have one " + fileName + ", but has " + found);
            }
            return found.get(0);
        }
    }

    private static Path copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
        return to;
    }
}
