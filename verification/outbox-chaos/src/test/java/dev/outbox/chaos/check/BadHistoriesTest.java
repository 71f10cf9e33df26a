package dev.outbox.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.FinalState.Booking;
import dev.outbox.chaos.history.FinalState.LedgerRow;
import dev.outbox.chaos.history.FinalState.ScheduledEvent;
import dev.outbox.chaos.history.FinalState.StoredEvent;
import dev.outbox.chaos.history.StateChange;
import dev.outbox.chaos.history.StateChange.State;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Histories that break one rule, and that one only. */
class BadHistoriesTest {

    private final Story story = new Story();

    private void assertBroken(String rule) {
        assertThat(story.brokenRules()).as(() -> story.check().toString()).containsExactly(rule);
    }

    @Test
    void committedEventIsGone() {
        story.delivers("w-1", "a", 1);
        story.delivers("w-1", "a", 2).vanishes();

        assertBroken("nothing-lost");
        assertThat(story.check().lost()).isEqualTo(1);
    }

    @Test
    void committedEventWasNeverHandled() {
        story.commits("a", 1).isClaimedBy("w-1").isSettledBy("w-1");

        assertBroken("nothing-lost");
    }

    @Test
    void eventOlderThanTheFailoverIsGone() {
        story.delivers("w-1", "a", 1);
        story.delivers("w-1", "a", 2).vanishes();
        long replicated = story.tick();
        story.forgets(Kind.FAILOVER_ASYNC, replicated);

        assertBroken("nothing-lost");
    }

    @Test
    void inboxSkipsWhatRetentionRemoved() {
        story.overtakes(Set.of(story.commits("a", 1).vanishes()), Set.of());
        story.delivers("w-1", "a", 2);

        assertBroken("nothing-lost");
    }

    @Test
    void operatorDecidesBeforeRetentionOvertakesTheInbox() {
        StoryEvent removed = story.commits("a", 1).vanishes();
        story.resumesInbox("RESUME_INBOX_EARLIEST");
        story.overtakes(Set.of(removed), Set.of());
        story.delivers("w-1", "a", 2);

        assertBroken("nothing-lost");
    }

    @Test
    void inboxSkipsMoreThanRetentionRemoved() {
        story.overtakes(
                        Set.of(story.commits("a", 1).vanishes()),
                        Set.of(story.commits("b", 1).vanishes()))
                .resumesInbox("RESUME_INBOX_EARLIEST");
        story.delivers("w-1", "a", 2);

        assertBroken("nothing-lost");
        assertThat(story.check().lost()).isEqualTo(1);
    }

    @Test
    void synchronousFailoverLosesACommittedEvent() {
        story.delivers("w-1", "a", 1).vanishes();
        story.begins(Kind.FAILOVER_SYNC, "server").ends(Kind.FAILOVER_SYNC, "server");

        assertBroken("nothing-lost");
    }

    @Test
    void openCommitThatWasHandledIsGone() {
        StoryEvent event = story.leavesOpen("a").get(0);
        event.starts("w-1").ends("w-1", Outcome.SUCCEEDED);

        assertBroken("nothing-lost");
    }

    @Test
    void abortedEventIsStored() {
        StoryEvent event = story.intends("a", 1);
        event.isStored();
        story.completes(event, Commit.ABORTED);
        event.isHandledBy("w-1");

        assertBroken("nothing-unexpected");
    }

    @Test
    void abortedEventWasHandled() {
        StoryEvent event = story.intends("a", 1);
        story.completes(event, Commit.ABORTED);
        event.starts("w-1").ends("w-1", Outcome.SUCCEEDED);

        assertBroken("nothing-unexpected");
        assertThat(story.check().unexpected()).isEqualTo(1);
    }

    @Test
    void eventWithoutAPublisherWasHandled() {
        new StoryEvent(story, new UUID(1, 1), "a", 1).starts("w-1").ends("w-1", Outcome.SUCCEEDED);

        assertBroken("nothing-unexpected");
    }

    @Test
    void halfOfATransactionIsThere() {
        story.leavesOpen("a", "b").get(0).isStored().isHandledBy("w-1");

        assertBroken("nothing-unexpected");
    }

    @Test
    void failoverLosesHalfOfATransaction() {
        long replicated = story.tick();
        story.leavesOpen("a", "b").get(0).isStored().isHandledBy("w-1");
        story.forgets(Kind.FAILOVER_ASYNC, replicated);

        assertBroken("nothing-unexpected");
    }

    @Test
    void eventHasNoBusinessRow() {
        story.delivers("w-1", "a", 1);
        story.ledger.clear();

        assertBroken("business-rows-match");
    }

    @Test
    void businessRowHasNoEvent() {
        StoryEvent event = story.intends("a", 1);
        event.isStored().vanishes();
        story.completes(event, Commit.ABORTED);
        story.ledger.add(new LedgerRow(event.id(), "a", 1, "t"));

        assertBroken("business-rows-match");
    }

    @Test
    void laterEventSucceedsFirst() {
        StoryEvent event = story.commits("a", 1);
        story.delivers("w-1", "a", 2);
        event.isHandledBy("w-1");

        assertBroken("in-order");
    }

    @Test
    void laterEventStartsAfterAFailureOfTheEarlier() {
        StoryEvent event = story.failsOnce();
        story.delivers("w-1", "a", 2);
        event.isClaimedAgainBy("w-1").starts("w-1", 2).ends("w-1", 2, Outcome.SUCCEEDED);
        event.isDone("w-1", story.id());

        assertBroken("in-order");
    }

    @Test
    void sequenceHasAGap() {
        story.delivers("w-1", "a", 1);
        story.delivers("w-1", "a", 3);

        assertBroken("sequences-gapless");
    }

    @Test
    void sequenceIsGivenTwice() {
        story.delivers("w-1", "a", 1);
        story.delivers("w-1", "a", 1);

        assertBroken("sequences-gapless");
    }

    /** No suspension, one that is shorter than the lease, and one of another worker. */
    @ParameterizedTest
    @CsvSource({"nobody, 5", "w-1, 1", "w-2, 5"})
    void executionsOfOneEventOverlap(String suspended, int seconds) {
        StoryEvent event = story.commits("a", 1).isClaimedBy("w-1").starts("w-1");
        story.begins(Kind.SUSPEND, suspended).pass(Duration.ofSeconds(seconds)).ends(Kind.SUSPEND, suspended);
        story.pass(Duration.ofSeconds(1));
        event.starts("w-2").ends("w-2", Outcome.FAILED);
        event.ends("w-1", Outcome.SUCCEEDED).isSettledBy("w-1");
        assertBroken("one-at-a-time");
    }

    @Test
    void executionsOfOneLaneOverlap() {
        StoryEvent event = story.succeedsOnce();
        event.isReplayed().starts("w-2");
        story.delivers("w-1", "a", 2);
        event.ends("w-2", Outcome.SUCCEEDED).isSettledBy("w-1");
        event.isClaimedAgainBy("w-2").deliveryBecomes("w-2", story.id(), State.NONE);

        assertBroken("one-at-a-time");
    }

    @Test
    void handlerSucceedsAgainWithoutAFault() {
        StoryEvent event = story.succeedsOnce();
        event.starts("w-2").ends("w-2", Outcome.SUCCEEDED).isSettledBy("w-1");

        assertBroken("repeats-explained");
        assertThat(story.check().duplicated()).isEqualTo(1);
    }

    @Test
    void faultBeforeTheFirstSuccessExplainsNothing() {
        StoryEvent event = story.commits("a", 1).isClaimedBy("w-1");
        story.begins(Kind.DATABASE_CRASH, "server").ends(Kind.DATABASE_CRASH, "server");
        story.pass(Duration.ofSeconds(1));
        event.starts("w-1").ends("w-1", Outcome.SUCCEEDED);
        event.starts("w-2").ends("w-2", Outcome.SUCCEEDED).isSettledBy("w-1");

        assertBroken("repeats-explained");
    }

    @Test
    void eventIsStillOpen() {
        story.commits("a", 1);

        assertBroken("backlog-empty");
    }

    @Test
    void eventIsDoneTooLate() {
        StoryEvent event = story.commits("a", 1);
        story.begins(Kind.KILL, "w-1").pass(Duration.ofSeconds(11));
        event.isHandledBy("w-2");

        assertBroken("backlog-empty");
    }

    @Test
    void scheduledEventStartsBeforeItIsDue() {
        StoryEvent event = story.schedules("a", 1);
        story.pass(Duration.ofMillis(800));
        event.starts("w-1").ends("w-1", Outcome.SUCCEEDED);
        story.pass(Duration.ofMillis(200));
        event.moves().isClaimedBy("w-1").isSettledBy("w-1");

        assertBroken("schedule-kept");
    }

    @Test
    void scheduledEventMovesBeforeItIsDue() {
        StoryEvent event = story.schedules("a", 1);
        story.pass(Duration.ofMillis(990));
        event.moves();
        story.pass(Duration.ofMillis(10));
        event.isHandledBy("w-1");

        assertBroken("schedule-kept");
    }

    @Test
    void dueEventIsStillScheduled() {
        StoryEvent event = story.schedules("a", 1);
        story.scheduled.set(
                0, new ScheduledEvent(event.id(), story.scheduled.get(0).due(), true));

        assertBroken("schedule-kept");
    }

    @Test
    void eventIsScheduledForAnotherTime() {
        StoryEvent event = story.schedules("a", 1);
        long hour = Duration.ofHours(1).toNanos();
        story.scheduled.set(
                0, new ScheduledEvent(event.id(), story.scheduled.get(0).due() + hour, false));

        assertBroken("schedule-kept");
    }

    @Test
    void scheduledEventIsGone() {
        story.schedules("a", 1).isWithdrawn();

        assertBroken("nothing-lost");
    }

    @Test
    void movedEventIsDeliveredTooLate() {
        StoryEvent event = story.schedules("a", 1);
        story.pass(Duration.ofSeconds(12));
        event.moves().isHandledBy("w-1");

        assertBroken("backlog-empty");
    }

    @Test
    void movedEventIsHandledOutOfOrder() {
        StoryEvent event = story.schedules("a", 1);
        story.pass(Duration.ofSeconds(1));
        event.moves();
        story.delivers("w-1", "a", 2);
        event.isHandledBy("w-1");

        assertBroken("in-order");
    }

    @Test
    void movedEventIsHandledUnderAnotherSequence() {
        StoryEvent event = story.schedules("a", 1);
        story.pass(Duration.ofSeconds(1));
        event.moves().isClaimedBy("w-1");
        new StoryEvent(story, event.id(), "a", 2).starts("w-1").ends("w-1", Outcome.SUCCEEDED);
        event.isSettledBy("w-1");

        assertBroken("schedule-kept");
    }

    @Test
    void scheduledEventMovesBeforeAnOperatorDeliversIt() {
        StoryEvent event = story.schedules("a", 1).moves();
        event.isDeliveredNowBy("ann").isHandledBy("w-1");

        assertBroken("schedule-kept");
    }

    @Test
    void eventThatAnOperatorWithdrewIsHandled() {
        StoryEvent event = story.commits("a", 1).isWithdrawnBy("ann");
        story.pass(Duration.ofSeconds(1));
        event.starts("w-1").ends("w-1", Outcome.SUCCEEDED);

        assertBroken("nothing-unexpected");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancelledEventIsDelivered(boolean byOperator) {
        StoryEvent event = story.schedules("a", 1);
        LedgerRow row = story.ledger.get(0);
        cancel(event, byOperator);
        story.ledger.remove(row);
        story.ledger.add(row);
        story.pass(Duration.ofSeconds(1));
        event.moves().isHandledBy("w-1");
        assertBroken("schedule-kept");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancelledEventWasHandledAndIsGone(boolean byOperator) {
        StoryEvent event = story.schedules("a", 1);
        cancel(event, byOperator);
        story.pass(Duration.ofSeconds(1));
        event.starts("w-1").ends("w-1", Outcome.SUCCEEDED);
        assertBroken("schedule-kept");
    }

    private void cancel(StoryEvent event, boolean byOperator) {
        if (byOperator) {
            event.isCancelledBy("ann");
        } else {
            story.cancels(event);
        }
    }

    @Test
    void replacedEventIsDeliveredBesideItsReplacement() {
        StoryEvent event = story.schedules("a", 1);
        StoryEvent replacement = story.replacesAndLeavesOpen(event, 2);
        story.pass(Duration.ofSeconds(1));
        event.moves().isHandledBy("w-1");
        replacement.moves().isHandledBy("w-1");

        assertBroken("schedule-kept");
    }

    @Test
    void neitherReplacedNorReplacingEventIsThere() {
        StoryEvent event = story.schedules("a", 1);
        LedgerRow row = story.ledger.get(0);
        story.replacesAndLeavesOpen(event, 1).isWithdrawn();
        event.isWithdrawn();
        story.ledger.add(row);

        assertBroken("business-rows-match");
    }

    @Test
    void abortedTransactionSchedules() {
        StoryEvent event = story.intends("a", 1);
        story.completes(event, Commit.ABORTED);
        story.scheduled.add(new ScheduledEvent(event.id(), story.tick(), false));
        story.ledger.add(new LedgerRow(event.id(), "a", 0, event.transaction()));

        assertBroken("nothing-unexpected");
    }

    @Test
    void eventWaitsThoughNothingHoldsItBack() {
        StoryEvent event = story.commits("a", 1);
        story.pass(Duration.ofSeconds(19));
        event.isHandledBy("w-1");
        story.begins(Kind.KILL, "w-2");

        assertBroken("started-in-time");
    }

    @Test
    void eventWaitsThoughItsPredecessorIsOver() {
        story.begins(Kind.SNAPSHOT_HELD, "database").pass(Duration.ofSeconds(1));
        StoryEvent first = story.commits("a", 1).isClaimedBy("w-1");
        StoryEvent second = story.commits("a", 2);
        first.starts("w-1").ends("w-1", Outcome.SUCCEEDED).isSettledBy("w-1");
        story.ends(Kind.SNAPSHOT_HELD, "database").pass(Duration.ofSeconds(19));
        second.isHandledBy("w-2");
        story.begins(Kind.KILL, "w-2");

        assertBroken("started-in-time");
    }

    @Test
    void frozenConnectionsHoldAnEventForLongerThanALease() {
        StoryEvent event = story.commits("a", 1).isClaimedBy("w-1");
        story.begins(Kind.CONNECTIONS_FROZEN, "w-1").pass(Duration.ofSeconds(19));
        event.dropsClaim("w-2").isHandledBy("w-2");
        story.begins(Kind.KILL, "w-1");

        assertBroken("started-in-time");
    }

    @Test
    void frozenConnectionsHoldAnEventInTheEnd() {
        StoryEvent event = story.commits("a", 1).isClaimedBy("w-1");
        story.begins(Kind.CONNECTIONS_FROZEN, "w-1").pass(Duration.ofSeconds(11));
        event.dropsClaim("w-2").isHandledBy("w-2");

        assertBroken("backlog-empty");
    }

    @Test
    void deliveryExpiresThoughAProcessSelectsIt() {
        story.stops("w-1").begins(Kind.SUBSCRIPTION_AGED, Story.HANDLER);
        story.commits("a", 1).isClaimedBy("w-2").isQueuedBy("w-2", "DEAD", "NOT_SELECTED");

        assertBroken("deaths-justified");
    }

    @Test
    void eventIsSettledWithoutAClaim() {
        StoryEvent event = story.succeedsOnce();
        event.dropsClaim("w-2").becomes("w-1", story.id(), "PUBLISHED");

        assertBroken("fenced");
    }

    @Test
    void eventIsSettledUnderTheClaimOfAnother() {
        StoryEvent event = story.succeedsOnce();
        event.dropsClaim("w-2").isClaimedBy("w-2").isSettledBy("w-1");

        assertBroken("fenced");
    }

    @Test
    void eventIsClaimedTwice() {
        StoryEvent event = story.commits("a", 1).isClaimedBy("w-1");
        event.isClaimedBy("w-2").starts("w-2").ends("w-2", Outcome.SUCCEEDED).isSettledBy("w-2");

        assertBroken("fenced");
    }

    @Test
    void deliveryIsSettledUnderTheClaimOfAnother() {
        StoryEvent event =
                story.failsOnce().isClaimedAgainBy("w-1").starts("w-1", 2).ends("w-1", 2, Outcome.SUCCEEDED);
        story.pass(Duration.ofSeconds(4));
        event.isClaimedAgainBy("w-2").isDone("w-1", story.id());

        assertBroken("fenced");
    }

    @Test
    void deliveryIsClaimedWhileAnotherHoldsIt() {
        StoryEvent event = story.failsOnce().isClaimedAgainBy("w-1").isClaimedAgainBy("w-2");
        event.starts("w-2", 2).ends("w-2", 2, Outcome.SUCCEEDED).isDone("w-2", story.id());

        assertBroken("fenced");
    }

    @Test
    void deliveryIsSettledWithoutAClaim() {
        story.failsOnce().starts("w-1", 2).ends("w-1", 2, Outcome.SUCCEEDED).isDone("w-1", story.id());

        assertBroken("fenced");
    }

    @Test
    void publishedEventIsOpenedAgain() {
        StoryEvent event = story.delivers("w-1", "a", 1);
        event.becomes("w-1", story.id(), "RETRYING");
        event.becomes("w-1", story.id(), "PUBLISHED");

        assertBroken("legal-transitions");
    }

    @Test
    void changeIsMissing() {
        StoryEvent event =
                story.failsOnce().isClaimedAgainBy("w-1").starts("w-1", 2).ends("w-1", 2, Outcome.SUCCEEDED);
        event.isDone("w-1", story.id());
        story.changes.removeIf((change) ->
                change.kind() == StateChange.Kind.EVENT && change.now().status().equals("RETRYING"));

        assertBroken("legal-transitions");
    }

    @Test
    void eventDiesBeforeItsLastAttempt() {
        StoryEvent event =
                story.failsOnce().isClaimedAgainBy("w-1").starts("w-1", 2).ends("w-1", 2, Outcome.FAILED);
        event.failsAgain("w-1", "DEAD", "IOException");

        assertBroken("deaths-justified");
    }

    @Test
    void registrationExpiresAndTheHandlerComesBack() {
        story.failsOnce().isClaimedAgainBy("w-1").failsAgain("w-1", "DEAD", "HANDLER_EXPIRED");
        story.registers("w-3");

        assertBroken("deaths-justified");
    }

    @Test
    void failuresAreCountedThatDidNotHappen() {
        StoryEvent event = story.failsOnce();
        for (int retry = 0; retry < 2; retry++) {
            event.isClaimedAgainBy("w-1").failsAgain("w-1", retry == 1 ? "DEAD" : "OPEN", "IOException");
        }

        assertBroken("deaths-justified");
    }

    @Test
    void deliveryExpiresSoonAfterTheLastProcessThatSelectsItStopped() {
        StoryEvent event = story.commits("a", 1);
        story.stops("w-1").stops("w-2").registers("w-3", "Other");
        event.isClaimedBy("w-3").isQueuedBy("w-3", "DEAD", "NOT_SELECTED");

        assertBroken("deaths-justified");
    }

    @Test
    void payloadIsStoredOtherwise() {
        StoryEvent event = story.delivers("w-1", "a", 1);
        StoredEvent row = story.stored.remove(0);
        story.stored.add(new StoredEvent(
                row.place(), event.id(), "account", "a", 1, "PUBLISHED", "{\"a\": 1, \"bb\": 2}", Map.of("k", "v")));

        assertBroken("payloads-equal");
    }

    @Test
    void contentIsGoneThoughNobodyErasedIt() {
        story.delivers("w-1", "a", 1).losesContent(Map.of());

        assertBroken("payloads-equal");
    }

    @Test
    void erasedEventKeepsItsHeaders() {
        story.delivers("w-1", "a", 1).isErasedBy("operator").losesContent(Map.of("k", "v"));

        assertBroken("payloads-equal");
    }

    @Test
    void deduplicatingHandlerBooksTwice() {
        StoryEvent event = story.delivers("w-1", "a", 1);
        story.facts.set(0, new Story(true).facts.get(0));
        story.bookings.add(new Booking(event.id(), Story.HANDLER));
        story.bookings.add(new Booking(event.id(), Story.HANDLER));

        assertBroken("booked-once");
    }

    @Test
    void deduplicatingHandlerBooksNothing() {
        story.facts.set(0, new Story(true).facts.get(0));
        story.delivers("w-1", "a", 1);

        assertBroken("booked-once");
    }
}
