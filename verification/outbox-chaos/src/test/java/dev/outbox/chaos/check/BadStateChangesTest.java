package dev.outbox.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.StateChange;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Changes of state that break one rule, and that one only. */
class BadStateChangesTest {

    private final Story story = new Story();

    private void assertBroken(String rule) {
        assertThat(story.brokenRules()).as(() -> story.check().toString()).containsExactly(rule);
    }

    @Test
    void eventIsSettledWithoutAClaim() {
        StoryEvent event =
                story.commits("a", 1).isClaimedBy("w-1").starts("w-1").ends("w-1", Outcome.SUCCEEDED);
        event.dropsClaim("w-2").becomes("w-1", story.id(), "PUBLISHED");

        assertBroken("fenced");
    }

    @Test
    void eventIsSettledUnderTheClaimOfAnother() {
        StoryEvent event =
                story.commits("a", 1).isClaimedBy("w-1").starts("w-1").ends("w-1", Outcome.SUCCEEDED);
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
        StoryEvent event = failsOnce().isClaimedAgainBy("w-1").starts("w-1", 2).ends("w-1", 2, Outcome.SUCCEEDED);
        story.pass(Duration.ofSeconds(4));
        event.isClaimedAgainBy("w-2").isDone("w-1", story.id());

        assertBroken("fenced");
    }

    @Test
    void deliveryIsClaimedWhileAnotherHoldsIt() {
        StoryEvent event = failsOnce().isClaimedAgainBy("w-1").isClaimedAgainBy("w-2");
        event.starts("w-2", 2).ends("w-2", 2, Outcome.SUCCEEDED).isDone("w-2", story.id());

        assertBroken("fenced");
    }

    @Test
    void deliveryIsSettledWithoutAClaim() {
        failsOnce().starts("w-1", 2).ends("w-1", 2, Outcome.SUCCEEDED).isDone("w-1", story.id());

        assertBroken("fenced");
    }

    private StoryEvent failsOnce() {
        return story.commits("a", 1)
                .isClaimedBy("w-1")
                .starts("w-1")
                .ends("w-1", Outcome.FAILED)
                .isQueuedBy("w-1", "OPEN", "IOException");
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
        StoryEvent event = failsOnce().isClaimedAgainBy("w-1").starts("w-1", 2).ends("w-1", 2, Outcome.SUCCEEDED);
        event.isDone("w-1", story.id());
        story.changes.removeIf((change) ->
                change.kind() == StateChange.Kind.EVENT && change.now().status().equals("RETRYING"));

        assertBroken("legal-transitions");
    }

    @Test
    void eventDiesBeforeItsLastAttempt() {
        StoryEvent event = failsOnce().isClaimedAgainBy("w-1").starts("w-1", 2).ends("w-1", 2, Outcome.FAILED);
        event.failsAgain("w-1", "DEAD", "IOException");

        assertBroken("deaths-justified");
    }

    @Test
    void registrationExpiresAndTheHandlerComesBack() {
        failsOnce().isClaimedAgainBy("w-1").failsAgain("w-1", "DEAD", "HANDLER_EXPIRED");
        story.registers("w-3");

        assertBroken("deaths-justified");
    }

    @Test
    void failuresAreCountedThatDidNotHappen() {
        StoryEvent event = failsOnce();
        for (int retry = 0; retry < 2; retry++) {
            event.isClaimedAgainBy("w-1").failsAgain("w-1", retry == 1 ? "DEAD" : "OPEN", "IOException");
        }

        assertBroken("deaths-justified");
    }
}
