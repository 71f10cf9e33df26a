package dev.outbox.benchmarks.arena;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Class path of a contestant, as its module's build resolved it. After a build that packaged the modules it holds only
 * JARs, because class-data sharing and the AOT cache accept no directories.
 */
record ClassPath(String text) {

    private static final String JAR = ".jar";

    static ClassPath of(Path contestants, String module) throws IOException {
        Path target =
                contestants.resolve(module).resolve("target").toAbsolutePath().normalize();
        Path dependencies = target.resolve("classpath.txt");
        if (!Files.exists(dependencies)) {
            throw new IllegalStateException(
                    "the contestant in " + module + " is not built: no " + dependencies + "; start with -Pbenchmark");
        }
        List<String> entries = List.of(Files.readString(dependencies).strip().split(Pattern.quote(File.pathSeparator)));
        Path own = entries.stream().allMatch((entry) -> entry.endsWith(JAR))
                ? packaged(target, module)
                : target.resolve("classes");
        return new ClassPath(own + File.pathSeparator + String.join(File.pathSeparator, entries));
    }

    private static Path packaged(Path target, String module) throws IOException {
        try (Stream<Path> files = Files.list(target)) {
            return files.filter((file) -> file.getFileName().toString().startsWith("outbox-benchmarks-" + module + "-"))
                    .filter((file) -> file.toString().endsWith(JAR))
                    .filter((file) -> !file.toString().endsWith("-sources.jar"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("the contestant in " + module + " has no JAR"));
        }
    }

    /** Returns the version of an artifact on the class path. */
    String versionOf(String artifact) {
        Pattern jar = Pattern.compile(Pattern.quote(artifact) + "-(\\d.*)\\.jar");
        return Arrays.stream(text.split(Pattern.quote(File.pathSeparator)))
                .map((part) -> jar.matcher(Path.of(part).getFileName().toString()))
                .filter(Matcher::matches)
                .map((match) -> match.group(1))
                .findFirst()
                .orElse("of this build");
    }
}
