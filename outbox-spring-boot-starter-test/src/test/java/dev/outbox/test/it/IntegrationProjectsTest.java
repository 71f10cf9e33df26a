package dev.outbox.test.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes of the projects in {@code src/it}, which {@code verify} builds: what an application needs before its first event. */
class IntegrationProjectsTest {

    private static final int MOST_LINES = 40;
    private static final Pattern NOT_COUNTED = Pattern.compile("(package|import) .*|\\s*");

    @ParameterizedTest
    @ValueSource(strings = {"one-service", "jpa", "liquibase", "two-data-sources"})
    void applicationWithItsTestIsSmall(String project) {
        List<Path> files = SourceTree.files("outbox-spring-boot-starter-test/src/it/" + project, ".*\\.java");

        assertThat(files).hasSizeGreaterThan(3);
        assertThat(files.stream()
                        .flatMap((file) -> SourceTree.read(file).lines())
                        .filter((line) -> !NOT_COUNTED.matcher(line).matches()))
                .hasSizeLessThanOrEqualTo(MOST_LINES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"one-service", "jpa", "liquibase", "two-data-sources"})
    void applicationNeedsNoProperty(String project) {
        assertThat(SourceTree.files("outbox-spring-boot-starter-test/src/it/" + project, ".*").stream()
                        .map(SourceTree::relative))
                .noneMatch((file) -> file.matches(".*/application.*\\.(properties|ya?ml)"))
                .anyMatch((file) -> file.endsWith("/pom.xml"));
        assertThat(SourceTree.files("outbox-spring-boot-starter-test/src/it/" + project, ".*\\.java"))
                .allSatisfy((file) -> assertThat(SourceTree.read(file)).doesNotContain("properties ="));
    }
}
