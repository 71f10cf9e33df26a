package dev.outbox.kafka.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.kafka.fixture.Receiver;
import dev.outbox.kafka.fixture.TestRecord;
import dev.outbox.kafka.internal.inbox.InboxMeter.Result;
import dev.outbox.kafka.internal.inbox.InboxSettings.Late;
import dev.outbox.kafka.internal.inbox.InboxSettings.UnknownTypes;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Records behind a gap in their sequence. */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class HeldRecordsTest {

    private static final InboxSettings PATIENT =
            Receiver.settings(Duration.ofHours(1), Late.DEAD_LETTER, UnknownTypes.DEAD_LETTER);
    private static final InboxSettings IMPATIENT =
            Receiver.settings(Duration.ofMillis(1), Late.DEAD_LETTER, UnknownTypes.DEAD_LETTER);

    private @Nullable Receiver open;

    @AfterEach
    void close() {
        if (open != null) {
            open.close();
        }
    }

    private Receiver receiver(InboxSettings rules) {
        Receiver receiver = new Receiver(rules);
        open = receiver;
        return receiver;
    }

    @Test
    void recordsAreReleasedInOrderWhenTheGapCloses() {
        Receiver receiver = receiver(PATIENT);
        TestRecord fifth = TestRecord.of("1", 5);
        receiver.receive(TestRecord.of("1", 3), fifth, TestRecord.of("1", 6), TestRecord.of("2", 9));
        await().until(() -> receiver.handled.size() == 2);
        assertThat(receiver.count(Result.HELD)).isEqualTo(2);

        receiver.receive(fifth, TestRecord.of("1", 4), TestRecord.of("1", 7));
        await().untilAsserted(() -> assertThat(receiver.sequences("1")).containsExactly(3L, 4L, 5L, 6L, 7L));
        assertThat(receiver.operator().operations().count(receiver.dead()).value())
                .isZero();
    }

    @Test
    void waitIsLoggedWhenItBeginsAndEnds(CapturedOutput output) {
        Receiver receiver = receiver(PATIENT);
        receiver.receive(TestRecord.of("1", 3), TestRecord.of("1", 5), TestRecord.of("2", 3), TestRecord.of("2", 5));
        await().atMost(Duration.ofMinutes(1)).until(() -> receiver.recordAttempts.get() > 6);
        receiver.receive(TestRecord.of("1", 4), TestRecord.of("2", 4));

        await().atMost(Duration.ofMinutes(1)).until(() -> output.getOut().contains("holds back no more records"));
        assertThat(output).containsOnlyOnce("waits for its predecessor").doesNotContain("not counted");
    }

    @Test
    void gapClosesThroughAnotherTopic() {
        Receiver receiver = receiver(PATIENT);
        receiver.inbox()
                .receive(
                        List.of(
                                TestRecord.of("1", 3).at("a", 0),
                                TestRecord.of("1", 5).at("a", 1)),
                        receiver.next);
        assertThat(receiver.count(Result.HELD)).isEqualTo(1);
        receiver.inbox().receive(List.of(TestRecord.of("1", 4).at("b", 0)), receiver.next);

        await().untilAsserted(() -> assertThat(receiver.sequences("1")).containsExactly(3L, 4L, 5L));
    }

    @Test
    void gapThatStaysIsADeadLetterThatBlocksItsAggregate() {
        Receiver receiver = receiver(IMPATIENT);
        receiver.receive(TestRecord.of("1", 3), TestRecord.of("1", 5), TestRecord.of("1", 6), TestRecord.of("2", 1));

        assertThat(receiver.awaitDead(1).get(0)).contains("has no predecessor: the last sequence stored is 3");
        assertThat(receiver.sequences("1")).containsExactly(3L);
        await().until(() -> receiver.sequences("2").size() == 1);

        receiver.operator().operations().retry(receiver.dead(), "ann", "4 is lost");
        await().untilAsserted(() -> assertThat(receiver.sequences("1")).containsExactly(3L, 5L, 6L));
    }

    @Test
    void ignoredTypeLeavesNoGap() {
        Receiver receiver = receiver(Receiver.settings(Duration.ofHours(1), Late.DEAD_LETTER, UnknownTypes.IGNORE));
        receiver.receive(
                TestRecord.of("1", 1), TestRecord.of("1", 2).with("ce_type", "OrderShipped"), TestRecord.of("1", 3));

        await().untilAsserted(() -> assertThat(receiver.sequences("1")).containsExactly(1L, 3L));
        assertThat(receiver.count(Result.HELD)).isZero();
    }

    @Test
    void recordsBehindARefusedOneFollowItAfterItsRetry() {
        Receiver receiver = receiver(PATIENT);
        receiver.receive(
                TestRecord.of("1", 1), TestRecord.of("1", 2).with("ce_type", "OrderShipped"), TestRecord.of("1", 3));
        receiver.awaitDead(1);
        assertThat(receiver.sequences("1")).containsExactly(1L);

        receiver.subscribed.add("OrderShipped");
        receiver.operator().operations().retry(receiver.dead(), "ann", "deployed");
        await().untilAsserted(() -> assertThat(receiver.sequences("1")).containsExactly(1L, 2L, 3L));
    }
}
