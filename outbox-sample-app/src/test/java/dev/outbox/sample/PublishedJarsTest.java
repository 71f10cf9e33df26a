package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.outbox.testing.SourceTree;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** JARs of the published modules, which are on the class path of {@code mvn verify}; {@code mvn test} has folders of classes instead. */
class PublishedJarsTest {

    private static final Pattern PUBLISHED = Pattern.compile("<artifactId>(outbox-(?!parent|bom)[^<]+)</artifactId>");

    private final List<Path> entries = Stream.of(
                    System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .toList();
    private final Set<String> published = PUBLISHED
            .matcher(SourceTree.read(SourceTree.ROOT.resolve("outbox-bom/pom.xml")))
            .results()
            .map((module) -> module.group(1))
            .collect(Collectors.toSet());
    private final List<Path> jars =
            entries.stream().filter((entry) -> isJarOf(entry, published)).toList();

    private static boolean isJarOf(Path entry, Set<String> modules) {
        return modules.stream()
                .anyMatch((module) -> entry.getFileName().toString().matches(module + "-\\d[^-]*(-SNAPSHOT)?\\.jar"));
    }

    @BeforeEach
    void modulesArePackaged() {
        assumeThat(entries).noneMatch((entry) -> entry.endsWith(Path.of("outbox-core", "target", "classes")));
        assertThat(jars).hasSameSizeAs(published);
    }

    @Test
    void jarsNameTitleVersionAndLicense() throws IOException {
        for (Path path : jars) {
            try (JarFile jar = new JarFile(path.toFile())) {
                Attributes manifest = jar.getManifest().getMainAttributes();
                assertThat(manifest.getValue(Attributes.Name.IMPLEMENTATION_TITLE))
                        .as(path.toString())
                        .startsWith("Outbox");
                assertThat(path.getFileName().toString())
                        .endsWith("-" + manifest.getValue(Attributes.Name.IMPLEMENTATION_VERSION) + ".jar");
                for (String file : List.of("LICENSE", "NOTICE")) {
                    try (InputStream content = jar.getInputStream(jar.getEntry("META-INF/" + file))) {
                        assertThat(content).hasContent(SourceTree.read(SourceTree.ROOT.resolve(file)));
                    }
                }
            }
        }
    }

    /** The module system refuses two modules with one package. */
    @Test
    void jarsAreModulesWithoutCommonPackages() {
        Set<String> names = Set.of(
                "dev.outbox",
                "dev.outbox.operations",
                "dev.outbox.spring",
                "dev.outbox.test",
                "dev.outbox.forwarding",
                "dev.outbox.kafka",
                "dev.outbox.messaging",
                "dev.outbox.modulith",
                "dev.outbox.console");

        Configuration modules = ModuleLayer.boot()
                .configuration()
                .resolve(ModuleFinder.of(jars.toArray(Path[]::new)), ModuleFinder.of(), names);

        assertThat(modules.modules()).extracting((module) -> module.name()).hasSameElementsAs(names);
    }
}
