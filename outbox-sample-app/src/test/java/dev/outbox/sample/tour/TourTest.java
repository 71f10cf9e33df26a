package dev.outbox.sample.tour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The tour and the operator tasks do what they say, on a service that starts as the tour starts it: without a database of its own. Questions are asked until
 * the answer is what is shown; each change is made once.
 */
@Tag("full")
class TourTest {

    private static final Path PAGE = Path.of("..", "docs", "tour.md");
    private static final Path TASKS = Path.of("..", "docs", "operating.md");

    /** The lease of the orders lasts two minutes. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @Test
    @EnabledIf(value = TourShell.INSTALLED, disabledReason = TourShell.MISSING)
    void everyCommandAnswersWhatIsShown() throws Exception {
        List<TourStep> steps = TourStep.of(PAGE);
        assertThat(steps).hasSizeGreaterThan(40);
        run(steps);
    }

    @Test
    @EnabledIf(value = TourShell.INSTALLED, disabledReason = TourShell.MISSING)
    void operatorTasksAnswerWhatIsShown() throws Exception {
        List<TourStep> steps = TourStep.of(TASKS);
        assertThat(steps).hasSizeGreaterThan(15);
        run(steps);
    }

    private static void run(List<TourStep> steps) throws Exception {
        assertThat(steps.get(0).command()).isEqualTo("mvn -q -Prun");
        try (TourService service = new TourService(Path.of("target", "tour.log"))) {
            TourShell shell = new TourShell(service);
            for (TourStep step : steps) {
                run(step, shell);
            }
        }
    }

    @Test
    void noCommandHidesInABlockThatIsNotRun() throws IOException {
        List<String> fences = Files.readAllLines(PAGE).stream()
                .filter((line) -> line.startsWith("```"))
                .toList();

        assertThat(fences).hasSizeGreaterThan(20);
        assertThat(fences).isEqualTo(alternately("```console", "```", fences.size()));
    }

    private static void run(TourStep step, TourShell shell) throws Exception {
        if (step.isQuestion()) {
            await().atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(100))
                    .untilAsserted(() -> runOnce(step, shell));
        } else {
            runOnce(step, shell);
        }
    }

    private static void runOnce(TourStep step, TourShell shell) throws Exception {
        String answer = shell.run(step);
        assertThat(TourOutput.matches(step.shown(), answer))
                .as("%s%nshown:    %s%nanswered: %s", step, step.shown(), answer)
                .isTrue();
    }

    private static List<String> alternately(String first, String second, int size) {
        return Stream.iterate(first, (last) -> last.equals(first) ? second : first)
                .limit(size)
                .toList();
    }
}
