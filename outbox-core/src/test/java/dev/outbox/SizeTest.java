package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sizes of files and of the core; each limit may be lowered, none may be raised. */
class SizeTest {

    private static final int CORE_FILES = 256;
    private static final int CORE_LINES = 23_900;
    private static final int CORE_MEDIAN = 84;
    private static final int STORE_FILES = 46;

    private static final String CORE = "outbox-core/src/main/java/.*\\.java";

    @Test
    void mainFilesHaveAtMost250Lines() {
        assertThat(longerThan(250, "outbox-.*/src/main/java/.*\\.java")).isEmpty();
    }

    @Test
    void testFilesHaveAtMost300Lines() {
        assertThat(longerThan(300, "outbox-.*/src/test/java/.*\\.java")).isEmpty();
    }

    @Test
    void coreStaysSmall() {
        List<Path> files = core();

        assertThat(files.size()).as("files").isLessThanOrEqualTo(CORE_FILES);
        assertThat(files.stream().mapToLong(SizeTest::lines).sum()).as("lines").isLessThanOrEqualTo(CORE_LINES);
        assertThat(files.stream().mapToLong(SizeTest::lines).sorted().toArray()[files.size() / 2])
                .as("median of the lines in a file")
                .isLessThanOrEqualTo(CORE_MEDIAN);
    }

    @Test
    void storeStaysSmall() {
        assertThat(core().stream().filter((file) -> SourceTree.relative(file).contains("/internal/store/")))
                .hasSizeLessThanOrEqualTo(STORE_FILES);
    }

    private static List<Path> core() {
        return SourceTree.files("outbox-core", CORE).stream()
                .filter((file) -> !file.endsWith("package-info.java"))
                .toList();
    }

    private static List<String> longerThan(long limit, String files) {
        return SourceTree.files("", files).stream()
                .filter((file) -> lines(file) > limit)
                .map((file) -> SourceTree.relative(file) + ": " + lines(file))
                .toList();
    }

    private static long lines(Path file) {
        return SourceTree.read(file).lines().count();
    }
}
