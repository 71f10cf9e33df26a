package dev.outbox.chaos.defect;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Copy of the core and of the operations, compiled with a defect. */
final class DefectiveCore {

    /** What is compiled together. Each tests itself. */
    static final List<Path> MODULES = Stream.of("outbox-core", "outbox-operations")
            .map((module) -> Path.of("..", "..", module).toAbsolutePath().normalize())
            .toList();

    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final Path RESOURCES = Path.of("src", "main", "resources");
    private static final Path TESTS = Path.of("src", "test", "java");

    private DefectiveCore() {}

    /** Compiles with a defect and returns the directory of the classes and resources. */
    static Path compile(Defect defect, Path directory) throws IOException {
        Path sources = directory.resolve("sources");
        Path classes = directory.resolve("classes");
        for (Path module : MODULES) {
            copy(module.resolve(SOURCES), sources);
            copy(module.resolve(RESOURCES), classes);
        }
        for (Defect.Edit edit : defect.edits()) {
            Path file = find(List.of(edit.isResource() ? classes : sources), edit.file());
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
                throw new IllegalStateException("This does not compile: " + defect + "\n" + messages);
            }
        }
        return classes;
    }

    /** Fails if the sources have no place for a defect any more. */
    static void requirePlaceFor(Defect defect) throws IOException {
        for (Defect.Edit edit : defect.edits()) {
            Path file = find(inModules(edit.isResource() ? RESOURCES : SOURCES), edit.file());
            edit.applyTo(Files.readString(file));
        }
        for (String test : defect.tests()) {
            fileOf(test);
        }
    }

    /** Returns the full name of a test class. */
    static String testClass(String simpleName) throws IOException {
        Path file = fileOf(simpleName);
        String name = moduleOf(file).resolve(TESTS).relativize(file).toString();
        return name.substring(0, name.length() - ".java".length()).replace(File.separatorChar, '.');
    }

    /** Returns the module that has a test class. */
    static Path moduleOfTest(String simpleName) throws IOException {
        return moduleOf(fileOf(simpleName));
    }

    private static Path fileOf(String testClass) throws IOException {
        return find(inModules(TESTS), testClass + ".java");
    }

    private static Path moduleOf(Path file) {
        return MODULES.stream().filter(file::startsWith).findFirst().orElseThrow();
    }

    private static List<Path> inModules(Path directory) {
        return MODULES.stream().map((module) -> module.resolve(directory)).toList();
    }

    private static Path find(List<Path> directories, String fileName) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path directory : directories) {
            try (Stream<Path> files = Files.walk(directory)) {
                files.filter((file) -> file.endsWith(fileName)).forEach(found::add);
            }
        }
        if (found.size() != 1) {
            throw new IllegalStateException("There must be one " + fileName + ", but there are " + found);
        }
        return found.get(0);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                Files.createDirectories(target.getParent());
                Files.copy(file, target);
            }
        }
    }
}
