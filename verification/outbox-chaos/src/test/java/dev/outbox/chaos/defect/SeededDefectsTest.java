package dev.outbox.chaos.defect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each defect, built into a copy of core and operations, is caught by a test. {@code -Ddefect.names} selects defects by a regular expression. */
@Tag("full")
class SeededDefectsTest {

    private static final Path REPORT = Path.of("target", "defects.md");
    private static final int LONGEST_RUN_MINUTES = 3;

    @TempDir
    private Path directory;

    static Stream<Defect> defects() {
        Pattern names = Pattern.compile(System.getProperty("defect.names", ""));
        return Defects.ALL.stream()
                .filter(defect -> names.matcher(defect.name()).find());
    }

    @ParameterizedTest
    @Tag("chaos")
    @MethodSource("defects")
    void testsCatchDefect(Defect defect) throws IOException, InterruptedException {
        Path classes = DefectiveCore.compile(defect, directory);
        String catching = null;
        for (String test : defect.tests()) {
            int exit = run(classes, test);
            assertThat(exit).as("%s ran", test).isIn(TestRun.PASSED, TestRun.FAILED);
            if (exit == TestRun.FAILED) {
                catching = test;
                break;
            }
        }
        assertThat(catching).as("test that caught it").isNotNull();
        Files.writeString(
                REPORT,
                "| %s | %s | `%s` |%n".formatted(defect.name(), defect.promise(), catching),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    @ParameterizedTest
    @MethodSource("defects")
    void defectFitsTheSource(Defect defect) {
        assertThatCode(() -> DefectiveCore.requirePlaceFor(defect)).doesNotThrowAnyException();
    }

    @Test
    void testsPassWithoutDefect() throws IOException, InterruptedException {
        Defect none = new Defect("none", "", List.of(), List.of());

        assertThat(run(
                        DefectiveCore.compile(none, directory),
                        Defects.SAMPLE.tests().get(0)))
                .isEqualTo(TestRun.PASSED);
    }

    @Test
    void testsCatchOneDefect() throws IOException, InterruptedException {
        testsCatchDefect(Defects.SAMPLE);
    }

    private int run(Path classes, String test) throws IOException, InterruptedException {
        Path output = directory.resolve(test + ".log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Duser.timezone=Asia/Kathmandu",
                        "-cp",
                        classPath(classes),
                        TestRun.class.getName(),
                        DefectiveCore.testClass(test))
                .directory(DefectiveCore.moduleOfTest(test).toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(LONGEST_RUN_MINUTES, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            return TestRun.FAILED;
        }
        return process.exitValue();
    }

    /** The tests use what this module's tests use, and the classes of all of them. */
    private static String classPath(Path classes) {
        List<String> entries = new ArrayList<>(List.of(classes.toString()));
        for (Path module : DefectiveCore.MODULES) {
            entries.add(module.resolve(Path.of("target", "test-classes")).toString());
        }
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, entries);
    }
}
