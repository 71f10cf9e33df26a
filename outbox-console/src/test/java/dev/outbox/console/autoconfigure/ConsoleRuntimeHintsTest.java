package dev.outbox.console.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

class ConsoleRuntimeHintsTest {

    @Test
    void everyFileOfTheConsoleIsIncluded() throws IOException {
        RuntimeHints hints = new RuntimeHints();
        new ConsoleRuntimeHints().registerHints(hints, getClass().getClassLoader());

        List<String> files = Stream.concat(
                        files("dev/outbox/console/templates/*", "dev/outbox/console/templates/"),
                        Stream.concat(
                                files("dev/outbox/console/assets/*", "dev/outbox/console/assets/"),
                                Stream.of(
                                        webJar("htmx.org", "dist/htmx.min.js"),
                                        webJar("chart.js", "dist/chart.umd.min.js"),
                                        "META-INF/maven/org.webjars.npm/htmx.org/pom.properties",
                                        "META-INF/maven/org.webjars.npm/chart.js/pom.properties")))
                .toList();

        assertThat(files).hasSizeGreaterThan(15).allSatisfy((file) -> {
            assertThat(getClass().getClassLoader().getResource(file)).isNotNull();
            assertThat(RuntimeHintsPredicates.resource().forResource(file)).accepts(hints);
        });
    }

    private static Stream<String> files(String pattern, String directory) throws IOException {
        return Arrays.stream(resources(pattern)).map((resource) -> directory + resource.getFilename());
    }

    private static String webJar(String name, String file) throws IOException {
        String url = resources("META-INF/resources/webjars/" + name + "/*/" + file)[0]
                .getURL()
                .toString();
        return url.substring(url.indexOf("META-INF/resources"));
    }

    private static Resource[] resources(String pattern) throws IOException {
        return new PathMatchingResourcePatternResolver().getResources("classpath*:" + pattern);
    }
}
