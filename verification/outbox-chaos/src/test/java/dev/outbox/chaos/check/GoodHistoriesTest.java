package dev.outbox.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.FinalState.Booking;
import dev.outbox.chaos.history.FinalState.LedgerRow;
import dev.outbox.chaos.history.FinalState.StoredDelivery;
import dev.outbox.chaos.history.StateChange.State;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Histories that break no rule. */
class GoodHistoriesTest {

    private Story story = new Story();

    @AfterEach
    void noRuleIsBroken() {
        assertThat(story.check().violations()).isEmpty();
    }

    @Test
    void noFault() {
        story.delivers("w-1", "a", 1);
        story.delivers("w-2", "a", 2);
        story.delivers("w-1", "b", 1);

        assertThat(story.check().ok()).isEqualTo(3);
        assertThat(story.check().duplicated()).isZero();
    }

    @Test
    void abortedTransactionLeavesNoTrace() {
        story.completes(story.intends("a", 1), Commit.ABORTED);

        assertThat(story.check().absent()).isEqualTo(1);
    }

    @Test
    void openCommitIsWhollyThere() {
        for (StoryEvent event : story.leavesOpen("a", "b")) {
            event.isStored().isHandledBy("w-1");
        }

        assertThat(story.check().recovered()).isEqualTo(2);
    }

    @Test
    void openCommitIsWhollyAbsent() {
        story.leavesOpen("a", "b");

        assertThat(story.check().absent()).isEqualTo(2);
    }

    @Test
    void operatorResumesInboxAtEarliestRecord() {
        story.delivers("w-1", "a", 1);
        StoryEvent removed = story.commits("a", 2).vanishes();
        story.overtakes(Set.of(removed), Set.of(story.commits("a", 3).isHandledBy("w-1")))
                .resumesInbox("RESUME_INBOX_EARLIEST");

        assertThat(story.check().givenUp()).isEqualTo(1);
    }

    @Test
    void operatorResumesInboxBehindLatestRecord() {
        story.overtakes(
                        Set.of(story.commits("a", 1).vanishes()),
                        Set.of(story.commits("a", 2).vanishes()))
                .resumesInbox("RESUME_INBOX_LATEST");
        story.delivers("w-1", "a", 3);

        assertThat(story.check().givenUp()).isEqualTo(2);
    }

    @Test
    void killedWorkerIsFollowedByAnother() {
        StoryEvent event = story.succeedsOnce();
        StoryEvent next = story.commits("a", 2).starts("w-1");
        story.begins(Kind.KILL, "w-1").pass(Duration.ofSeconds(3));
        event.dropsClaim("w-2").isHandledBy("w-2");
        next.isHandledBy("w-2");

        assertThat(story.check().duplicated()).isEqualTo(1);
    }

    @Test
    void settlementShrinksItsClaimAndThenRemovesIt() {
        StoryEvent event = story.succeedsOnce();
        long transaction = story.id();
        event.becomes("w-1", transaction, "PUBLISHED")
                .shrinksClaim("w-1", transaction)
                .dropsClaim("w-1", transaction);
    }

    @Test
    void processStopsWhileAHandlerHangs() {
        StoryEvent event = story.commits("a", 1).isClaimedBy("w-1").starts("w-1");
        story.begins(Kind.STOP, "w-1").pass(Duration.ofSeconds(1)).ends(Kind.STOP, "w-1");
        event.dropsClaim("w-1").isHandledBy("w-2");
    }

    @Test
    void severalWorkersAreKilledOneAfterTheOther() {
        StoryEvent event = story.commits("a", 1).isClaimedBy("w-1").starts("w-1");
        story.begins(Kind.KILL, "w-1").pass(Duration.ofSeconds(3));
        event.dropsClaim("w-2").isClaimedBy("w-2").starts("w-2");
        story.begins(Kind.KILL, "w-2").pass(Duration.ofSeconds(3));
        event.dropsClaim("w-3").isHandledBy("w-3");

        assertThat(story.check().duplicated()).isZero();
    }

    @Test
    void suspendedWorkerOverlapsWithAnother() {
        StoryEvent event = story.commits("a", 1).isClaimedBy("w-1").starts("w-1");
        story.begins(Kind.SUSPEND, "w-1").pass(Duration.ofSeconds(4));
        event.dropsClaim("w-2").isClaimedBy("w-2").starts("w-2");
        story.ends(Kind.SUSPEND, "w-1");
        event.ends("w-1", Outcome.SUCCEEDED).ends("w-2", Outcome.SUCCEEDED).isSettledBy("w-2");
    }

    @Test
    void suspendedWorkerStartsItsHandlerWhenItResumes() {
        StoryEvent event = story.commits("a", 1).isClaimedBy("w-1");
        story.begins(Kind.SUSPEND, "w-1").pass(Duration.ofSeconds(4));
        event.dropsClaim("w-2").isHandledBy("w-2");
        story.ends(Kind.SUSPEND, "w-1");
        event.starts("w-1").ends("w-1", Outcome.SUCCEEDED);

        assertThat(story.check().duplicated()).isEqualTo(1);
    }

    @Test
    void suspendedWorkerSucceedsWhenAnotherHasGoneOn() {
        StoryEvent event = story.commits("a", 1).isClaimedBy("w-1").starts("w-1");
        StoryEvent next = story.commits("a", 2);
        story.begins(Kind.SUSPEND, "w-1").pass(Duration.ofSeconds(4));
        event.dropsClaim("w-2").isHandledBy("w-2");
        next.isHandledBy("w-2");
        story.ends(Kind.SUSPEND, "w-1");
        event.ends("w-1", Outcome.SUCCEEDED);

        assertThat(story.check().duplicated()).isEqualTo(1);
    }

    @Test
    void killIsNotedBeforeTheSignalArrives() {
        StoryEvent event = story.commits("a", 1).isClaimedBy("w-1");
        story.begins(Kind.KILL, "w-1");
        event.starts("w-1").ends("w-1", Outcome.SUCCEEDED);
        story.pass(Duration.ofSeconds(4));
        event.dropsClaim("w-2").isHandledBy("w-2");

        assertThat(story.check().duplicated()).isEqualTo(1);
    }

    @Test
    void deadConnectionIsNoticedAfterTheCut() {
        StoryEvent event = story.commits("a", 1).isClaimedBy("w-1");
        story.begins(Kind.BACKENDS_TERMINATED, "w-1").ends(Kind.BACKENDS_TERMINATED, "w-1");
        event.starts("w-1").ends("w-1", Outcome.SUCCEEDED);
        event.dropsClaim("w-2").isHandledBy("w-2");

        assertThat(story.check().duplicated()).isEqualTo(1);
    }

    @Test
    void crashOfTheDatabaseForgetsASettlement() {
        StoryEvent event = story.delivers("w-1", "a", 1).vanishes();
        story.begins(Kind.DATABASE_CRASH, "server").ends(Kind.DATABASE_CRASH, "server");
        event.isStored().isHandledBy("w-2");

        assertThat(story.check().duplicated()).isEqualTo(1);
    }

    @Test
    void failedAttemptIsRepeatedAndTheLaneWaits() {
        StoryEvent event = story.failsOnce();
        StoryEvent next = story.commits("a", 2);
        event.isClaimedAgainBy("w-2").starts("w-2", 2).ends("w-2", 2, Outcome.SUCCEEDED);
        event.isDone("w-2", story.id());
        next.isHandledBy("w-1");
    }

    @Test
    void eventDiesAfterAllAttempts() {
        StoryEvent event = story.failsOnce();
        for (int attempt = 2; attempt <= 3; attempt++) {
            event.isClaimedAgainBy("w-1").starts("w-1", attempt).ends("w-1", attempt, Outcome.FAILED);
            event.failsAgain("w-1", attempt == 3 ? "DEAD" : "OPEN", "IOException");
        }
        story.delivers("w-1", "a", 2);

        assertThat(story.check().dead()).isEqualTo(1);
    }

    private StoryEvent dies() {
        return story.commits("a", 1)
                .isClaimedBy("w-1")
                .starts("w-1")
                .ends("w-1", Outcome.FAILED)
                .isQueuedBy("w-1", "DEAD", "NonRetryableException");
    }

    @Test
    void operatorErasesADeliveredEvent() {
        story.delivers("w-1", "a", 1).isErasedBy("operator");
    }

    @Test
    void operatorWithdrawsAnEventAndErasesIt() {
        StoryEvent event = story.commits("a", 1);
        event.isWithdrawnBy("ann").isErasedBy("ann");
        story.delivers("w-1", "a", 2);
    }

    @Test
    void operatorSkipsADeadEvent() {
        StoryEvent event = dies();
        story.delivers("w-1", "a", 2);
        event.isSkippedBy("ann");
    }

    @Test
    void operatorRetriesADeadEventOutOfOrder() {
        StoryEvent event = dies();
        story.delivers("w-1", "a", 2);
        event.isRetriedBy("ann").isClaimedAgainBy("w-2").starts("w-2", 2).ends("w-2", 2, Outcome.SUCCEEDED);
        event.isDone("w-2", story.id());
    }

    @Test
    void replayDeliversAgain() {
        story = new Story(true);
        StoryEvent event = story.delivers("w-1", "a", 1);
        story.bookings.add(new Booking(event.id(), Story.HANDLER));
        story.delivers("w-1", "a", 2);
        story.bookings.add(new Booking(story.stored.get(1).eventId(), Story.HANDLER));
        event.isReplayed().isClaimedAgainBy("w-2").starts("w-2").ends("w-2", Outcome.SUCCEEDED);
        event.deliveryBecomes("w-2", story.id(), State.NONE);
        story.bookings.add(new Booking(event.id(), Story.HANDLER));
    }

    @Test
    void asynchronousFailoverLosesATransactionAsAWhole() {
        story.delivers("w-1", "a", 1);
        long replicated = story.tick();
        story.delivers("w-1", "a", 2).vanishes();
        story.forgets(Kind.FAILOVER_ASYNC, replicated);
        story.delivers("w-2", "a", 2);

        assertThat(story.check().lostByContract()).isEqualTo(1);
    }

    @Test
    void restoreForgetsDeliveries() {
        StoryEvent event = story.commits("a", 1);
        long backedUp = story.tick();
        event.isHandledBy("w-1").vanishes();
        story.forgets(Kind.RESTORE, backedUp);
        event.isStored().isHandledBy("w-2");

        assertThat(story.check().ok()).isEqualTo(1);
    }

    @Test
    void scheduledEventIsDeliveredWhenItIsDue() {
        StoryEvent event = story.schedules("a", 2);
        story.delivers("w-1", "a", 1);
        story.pass(Duration.ofSeconds(1));
        event.moves().isHandledBy("w-1");

        assertThat(story.check().scheduled().moved()).isEqualTo(1);
    }

    @Test
    void scheduledEventIsNotDueYet() {
        story.schedules("a", 1);

        assertThat(story.check().scheduled().waiting()).isEqualTo(1);
    }

    @Test
    void scheduledEventIsReplacedAndItsReplacementCancelled() {
        story.cancels(story.replaces(story.schedules("a", 1)));
        story.pass(Duration.ofSeconds(2));

        assertThat(story.check().scheduled().replaced()).isEqualTo(1);
        assertThat(story.check().scheduled().cancelled()).isEqualTo(1);
    }

    @Test
    void operatorDeliversAScheduledEventNow() {
        story.schedules("a", 1).isDeliveredNowBy("ann").moves().isHandledBy("w-1");

        assertThat(story.check().scheduled().moved()).isEqualTo(1);
    }

    @Test
    void failoverForgetsThatAnOperatorDeliveredAScheduledEvent() {
        StoryEvent event = story.schedules("a", 1);
        long replicated = story.tick();
        event.starts("w-1").ends("w-1", Outcome.SUCCEEDED);
        story.forgets(Kind.FAILOVER_ASYNC, replicated);
        story.pass(Duration.ofSeconds(1));
        event.moves().isHandledBy("w-1");
    }

    @Test
    void operatorCancelsAScheduledEvent() {
        story.schedules("a", 1).isCancelledBy("ann");
        story.pass(Duration.ofSeconds(2));

        assertThat(story.check().scheduled().cancelled()).isEqualTo(1);
    }

    @Test
    void openReplacementHasCommitted() {
        StoryEvent event = story.schedules("a", 1);
        StoryEvent replacement = story.replacesAndLeavesOpen(event, 1);
        event.isWithdrawn();
        story.pass(Duration.ofSeconds(1));
        replacement.moves().isHandledBy("w-1");

        assertThat(story.check().recovered()).isEqualTo(1);
    }

    @Test
    void openReplacementHasNotCommitted() {
        StoryEvent event = story.schedules("a", 1);
        story.replacesAndLeavesOpen(event, 1).isWithdrawn();
        story.pass(Duration.ofSeconds(1));
        event.moves().isHandledBy("w-1");

        assertThat(story.check().absent()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void failoverForgetsThatAnEventHasMovedAndItIsCancelled(boolean byOperator) {
        StoryEvent event = story.schedules("a", 1);
        long replicated = story.tick();
        story.pass(Duration.ofSeconds(1));
        event.starts("w-1").ends("w-1", Outcome.SUCCEEDED);
        story.forgets(Kind.FAILOVER_ASYNC, replicated);
        if (byOperator) {
            event.isCancelledBy("ann");
        } else {
            story.cancels(event);
        }
    }

    @Test
    void failoverForgetsThatAnEventHasMovedAndAnotherTakesItsSequence() {
        StoryEvent event = story.schedules("a", 2);
        long replicated = story.tick();
        story.pass(Duration.ofSeconds(1));
        new StoryEvent(story, event.id(), "a", 1).starts("w-1").ends("w-1", Outcome.SUCCEEDED);
        story.forgets(Kind.FAILOVER_ASYNC, replicated);
        story.delivers("w-2", "a", 1);
        event.moves().isHandledBy("w-2");
    }

    /** The event before it was forgotten too. */
    @Test
    void failoverForgetsThatAnEventHasMovedAndItGetsItsSequenceAgain() {
        StoryEvent event = story.schedules("a", 2);
        long replicated = story.tick();
        story.pass(Duration.ofSeconds(1));
        event.starts("w-1").ends("w-1", Outcome.SUCCEEDED);
        story.forgets(Kind.FAILOVER_ASYNC, replicated);
        story.delivers("w-2", "a", 1);
        event.moves().isHandledBy("w-2");
    }

    @Test
    void failoverForgetsACancellation() {
        StoryEvent event = story.schedules("a", 1);
        long replicated = story.tick();
        LedgerRow row = story.ledger.get(0);
        story.cancels(event);
        story.forgets(Kind.FAILOVER_ASYNC, replicated);
        story.ledger.add(row);
        story.pass(Duration.ofSeconds(1));
        event.moves().isHandledBy("w-1");
    }

    @Test
    void eventWaitsForItsPredecessor() {
        StoryEvent first = story.commits("a", 1).isClaimedBy("w-1").starts("w-1");
        StoryEvent second = story.commits("a", 2);
        story.pass(Duration.ofSeconds(30));
        first.ends("w-1", Outcome.SUCCEEDED).isSettledBy("w-1");
        second.isHandledBy("w-2");
        story.begins(Kind.KILL, "w-2");
    }

    @Test
    void eventWaitsForTheEndOfAFault() {
        StoryEvent event = story.commits("a", 1);
        story.begins(Kind.LOCKS_HELD, "database")
                .pass(Duration.ofSeconds(30))
                .ends(Kind.LOCKS_HELD, "database")
                .pass(Duration.ofSeconds(1));
        event.isHandledBy("w-1");
    }

    @Test
    void anotherWorkerTakesOverFromFrozenConnections() {
        StoryEvent event = story.succeedsOnce();
        story.begins(Kind.CONNECTIONS_FROZEN, "w-1").pass(Duration.ofSeconds(9));
        event.dropsClaim("w-2").isHandledBy("w-2");

        assertThat(story.check().duplicated()).isEqualTo(1);
    }

    @Test
    void frozenConnectionsAreResetLater() {
        story.begins(Kind.CONNECTIONS_FROZEN, "w-1");
        story.delivers("w-2", "a", 1);
        story.pass(Duration.ofSeconds(30)).ends(Kind.CONNECTIONS_FROZEN, "w-1");
    }

    @Test
    void deliveryExpiresThatNoProcessSelects() {
        StoryEvent event = story.commits("a", 1);
        story.stops("w-1").stops("w-2").registers("w-3", "Other");
        story.begins(Kind.SUBSCRIPTION_AGED, Story.HANDLER);
        event.isClaimedBy("w-3").isQueuedBy("w-3", "DEAD", "NOT_SELECTED");

        assertThat(story.check().dead()).isEqualTo(1);
    }

    @Test
    void deliveryExpiresAFewMinutesAfterTheLastProcessThatSelectsIt() {
        StoryEvent event = story.commits("a", 1);
        story.stops("w-1").stops("w-2").registers("w-3", "Other");
        story.pass(Duration.ofMinutes(15)).begins(Kind.KILL, "w-3");
        event.isClaimedBy("w-4").isQueuedBy("w-4", "DEAD", "NOT_SELECTED");
    }

    @Test
    void eventsBehindADeadOneThatBlocksWait() {
        StoryEvent event = dies();
        story.deliveries.clear();
        story.deliveries.add(new StoredDelivery(event.id(), Story.HANDLER, "BLOCKING"));
        story.commits("a", 2).isClaimedBy("w-1").isQueuedBy("w-1", "OPEN", null);
    }
}
