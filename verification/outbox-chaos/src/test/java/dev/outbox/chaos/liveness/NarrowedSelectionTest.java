package dev.outbox.chaos.liveness;

import static dev.outbox.chaos.liveness.Service.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.HandlerDefinition;
import dev.outbox.OnDead;
import dev.outbox.chaos.check.CheckSettings;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.testing.Guarantee;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A release narrows the selections of its handlers, and is rolled back: once the old subscriptions have expired, what only they selected
 * is dead, and what waits behind it is handled.
 */
@Tag("full")
@Tag("liveness")
@Execution(ExecutionMode.CONCURRENT)
class NarrowedSelectionTest {

    private static final Duration EXPIRY = Duration.ofMinutes(15);
    /** Of the expiry, which the test waits for; the age of the registrations is the rest. */
    private static final Duration REST = Duration.ofSeconds(15);

    private static final Duration BOUND = Duration.ofSeconds(15);

    private static final String PLACED = "Placed";
    private static final String PAID = "Paid";
    private static final String NOT_SELECTED = "NOT_SELECTED";

    @TempDir
    private Path directory;

    @Test
    @Guarantee(
            value = "G8",
            sentence =
                    "Events that a narrowed selection no longer takes become dead letters and hold nothing back; a rollback and a retry deliver them.")
    void narrowedSelectionHoldsNothingBackOnceItExpires() {
        try (Service service = new Service(directory)) {
            service.start("version-1", List.of(mail(PLACED, PAID), audit("*")));
            service.publish(event(PLACED, "x"), event(PAID, "x"));
            service.awaitHandled(BOUND);
            service.stop("version-1");
            service.start("version-2", List.of(mail(PLACED), audit(PLACED)));
            service.ageSubscription("mail", PAID, EXPIRY.minus(REST));
            service.ageSubscription("audit", "*", EXPIRY.minus(REST));
            // The first instance knows when the next subscription expires, and looks again a minute later at the
            // latest.
            service.start("version-2-too", List.of(mail(PLACED), audit(PLACED)));
            service.publish(event(PAID, "x"), event(PLACED, "x"), event(PLACED, "x"), event(PLACED, "y"));

            service.awaitHandled(REST.plus(BOUND), PLACED);
            assertThat(deadLetters(service)).containsExactlyInAnyOrder("audit DEAD", "mail DEAD");

            service.start("version-1-again", List.of(mail(PLACED, PAID), audit("*")));
            service.operations()
                    .retry(DeliverySelection.all().withErrorCode(NOT_SELECTED), "ann", "the selection is back");
            service.publish(event(PAID, "x"), event(PLACED, "x"));
            service.awaitHandled(BOUND);

            assertThat(service.check(CheckSettings.defaults()).violations()).isEmpty();
        }
    }

    private static HandlerDefinition mail(String... types) {
        return HandlerDefinition.of("mail", Set.of(types), (event) -> {});
    }

    /** Blocks its lane if an event is dead by its own fault. */
    private static HandlerDefinition audit(String... types) {
        return HandlerDefinition.of("audit", Set.of(types), (event) -> {}).onDead(OnDead.BLOCK);
    }

    private static List<String> deadLetters(Service service) {
        return service.sql()
                .sql("SELECT handler_id || ' ' || status FROM events.outbox_delivery WHERE last_error_code = ?")
                .param(NOT_SELECTED)
                .query(String.class)
                .list();
    }
}
