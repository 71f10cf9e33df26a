package dev.outbox.sample.tour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.SampleApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The tour and the operator tasks do what they say, on a service that starts as the tour starts it: without a database of its own. Questions are asked until
 * the answer is what is shown; each change is made once.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("full")
class TourTest {

    private static final Path PAGE = Path.of("..", "docs", "tour.md");
    private static final Path TASKS = Path.of("..", "docs", "operating.md");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void everyCommandAnswersWhatIsShown(CapturedOutput log) throws Exception {
        List<TourStep> steps = TourStep.of(PAGE);
        assertThat(steps).hasSizeGreaterThan(40);
        run(steps, log);
    }

    @Test
    void operatorTasksAnswerWhatIsShown(CapturedOutput log) throws Exception {
        List<TourStep> steps = TourStep.of(TASKS);
        assertThat(steps).hasSizeGreaterThan(15);
        run(steps, log);
    }

    private static void run(List<TourStep> steps, CapturedOutput log) throws Exception {
        try (ConfigurableApplicationContext service = new SpringApplicationBuilder(SampleApplication.class)
                .run(
                        "--server.port=0",
                        "--demo.enabled=true",
                        "--outbox.handlers.[fulfilment.order].retry.max-attempts=6",
                        "--logging.level.dev.outbox.sample.Welcome=info")) {
            assertThat(steps.get(0).command()).isEqualTo("mvn -q -Prun");
            assertThat(steps.get(0).shown().lines().filter((line) -> !line.equals("...")))
                    .singleElement()
                    .satisfies((shown) ->
                            assertThat(log.getOut().lines()).anyMatch((line) -> TourOutput.endsWith(shown, line)));
            TourShell shell = new TourShell(
                    service.getEnvironment().getRequiredProperty("local.server.port", Integer.class),
                    service.getBean(DataSource.class));
            for (TourStep step : steps.subList(1, steps.size())) {
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
