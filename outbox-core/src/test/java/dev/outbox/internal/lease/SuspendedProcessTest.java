package dev.outbox.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.fixture.WorkerProcess;
import dev.outbox.testing.Guarantee;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no SIGSTOP")
@Tag("full")
class SuspendedProcessTest {

    @Test
    @Guarantee(
            value = "G5",
            sentence = "A process suspended with SIGSTOP past its lease writes nothing after it resumes.")
    void suspendedWorkerWritesNothingAfterItsLease() throws Exception {
        try (TestOutbox outbox = TestOutbox.create();
                TestOutbox other = outbox.another()) {
            try (WorkerProcess process = WorkerProcess.start(outbox, Sleeper.class)) {
                process.giveOneBatchOfFive(outbox);
                assertThat(List.of(process.hear(), process.hear(), process.hear()))
                        .containsExactly("handling 1", "handling 2", "handling 3");
                process.suspend();
                Recorded handler = Recorded.all();
                other.handler("any", "*", handler)
                        .poller(Duration.ofMillis(100), 50, WorkerProcess.LEASE)
                        .start();
                await().atMost(Duration.ofSeconds(30)).until(() -> outbox.count("events.outbox_published") == 6);
                assertThat(handler.sequences()).containsEntry("1", List.of(1L, 2L, 3L, 4L, 5L));
                List<String> before = outbox(outbox);
                process.resume();
                process.tell("go on");

                assertThat(process.hear()).isEqualTo("its lease is lost");
                assertThat(process.hear()).isEqualTo("lost the lease");
                assertThat(outbox(outbox)).isEqualTo(before);
                assertThat(handler.handled()).hasSize(5);
            }
        }
    }

    private static List<String> outbox(TestOutbox outbox) {
        return outbox.sql()
                .sql("SELECT o::text FROM events.outbox o ORDER BY id")
                .query(String.class)
                .list();
    }

    /** Process that stops in the third event until the test resumes it. */
    static final class Sleeper {

        private Sleeper() {}

        public static void main(String[] arguments) throws InterruptedException {
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            WorkerProcess.work(
                    WorkerProcess.database(arguments),
                    HandlerDefinition.withContext(
                            "any",
                            Set.of("*"),
                            null,
                            (Object payload, EventEnvelope envelope, EventContext context) ->
                                    handle(envelope, context, input)));
            new CountDownLatch(1).await();
        }

        private static void handle(EventEnvelope envelope, EventContext context, BufferedReader input)
                throws IOException {
            WorkerProcess.say("handling " + envelope.sequence());
            if (envelope.sequence() == 3) {
                input.readLine();
                WorkerProcess.say(context.isLeaseLost() ? "its lease is lost" : "its lease holds");
            }
        }
    }
}
