package dev.outbox.benchmarks.arena;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Class path of a contestant, as its module's build resolved it. */
record ClassPath(String text) {

    static ClassPath of(Path contestants, String module) throws IOException {
        Path target =
                contestants.resolve(module).resolve("target").toAbsolutePath().normalize();
        Path dependencies = target.resolve("classpath.txt");
        if (!Files.exists(dependencies)) {
            throw new IllegalStateException(
                    "the contestant in " + module + " is not built: no " + dependencies + "; start with -Pbenchmark");
        }
        return new ClassPath(target.resolve("classes")
                + File.pathSeparator
                + Files.readString(dependencies).strip());
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
