package dev.outbox.sample.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Changed;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.Replay;
import dev.outbox.operations.Replays;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** The Java of the operator tasks runs. That the same questions over HTTP have the answers that the page shows is in TourTest. */
@SampleTest
class OperatorTasksTest {

    private final OperatorTasks tasks;

    @Autowired
    OperatorTasksTest(OutboxInspector inspector, OutboxOperations operations, Replays replays) {
        this.tasks = new OperatorTasks(inspector, operations, replays);
    }

    @Test
    void questionsHaveAnswers() {
        assertThat(tasks.whatWaits().streams())
                .extracting(OutboxOverview.Stream::name)
                .contains("orders", "push");
        assertThat(tasks.whatFails()).extracting("handlerId").doesNotContain("fulfilment.order");
        assertThat(tasks.deadLetters()).isEmpty();
        assertThat(tasks.whyIsItStuck()).isEmpty();
        assertThat(tasks.eventsOfTheOrder().events())
                .allSatisfy((entry) -> assertThat(entry.event().aggregateId()).isEqualTo("ORD-10001"));
        assertThat(tasks.oneEvent(UUID.randomUUID())).isEmpty();
    }

    @Test
    void nothingIsChangedWhereNothingIsDead() {
        assertThat(tasks.retryOneLane()).isEqualTo(new Changed(0, 0));
        assertThat(tasks.retryOneKindOfFailure()).isEqualTo(new Changed(0, 0));
        assertThat(tasks.skipOneDelivery(UUID.randomUUID())).isEqualTo(new Changed(0, 0));
    }

    @Test
    void pausesEnd() {
        assertThat(tasks.pauseHandler()).isTrue();
        assertThat(tasks.resumeHandler()).isTrue();
        assertThat(tasks.pauseStream()).isTrue();
        assertThat(tasks.resumeStream()).isTrue();
    }

    @Test
    void replayIsWatchedAndCancelled() {
        long replay = tasks.replay();

        assertThat(tasks.progress(replay))
                .map(Replay::origin)
                .map(Replay.Origin::by)
                .hasValue("ann");
        tasks.cancel(replay);
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(tasks.progress(replay))
                        .get()
                        .extracting(Replay::status)
                        .isNotEqualTo(Replay.Status.RUNNING));
    }
}
