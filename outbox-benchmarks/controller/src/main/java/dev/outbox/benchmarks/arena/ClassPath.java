package dev.outbox.benchmarks.arena;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The class path of a contestant, as its module's build resolved it.
 *
 * @param text its parts, separated as this system wants
 */
record ClassPath(String text) {

    static ClassPath of(Path contestants, String module) throws IOException {
        Path target =
                contestants.resolve(module).resolve("target").toAbsolutePath().normalize();
        Path dependencies = target.resolve("classpath.txt");
        if (!Files.exists(dependencies)) {
            throw new IllegalStateException("the contestant in " + module + " has not been built: there is no "
                    + dependencies + "; start with -Pbenchmark");
        }
        return new ClassPath(target.resolve("classes")
                + File.pathSeparator
                + Files.readString(dependencies).strip());
    }

    /** The version of an artifact on it. */
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
