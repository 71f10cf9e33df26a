package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;

/** Lanes that operators free. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class StuckLaneTest {

    private final Browser browser;
    private final Shop shop;

    StuckLaneTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    @Test
    void stuckLaneIsFreedInThreeClicks() {
        shop.fail("billing.ledger", "4711", "Account 42 is closed");
        shop.fail("mail", "4711", "421 Service not available");
        shop.publish(order("4711"), order("4711"), order("4711"));
        DeliverySelection lane = DeliverySelection.lane("billing.ledger", "Order", "4711");
        shop.await(lane, DeliveryStatus.DEAD, 1);
        shop.await(lane, DeliveryStatus.OPEN, 2);
        shop.correct("billing.ledger", "4711");

        browser.open("");
        browser.await((text) -> text.contains("Order 4711"));
        browser.click(By.partialLinkText("Order 4711"));
        assertThat(browser.await((text) -> text.contains("Why is Order 4711 stuck?")))
                .contains("The handler gave up, and its policy is to block the lane.")
                .contains("Account 42 is closed")
                .containsPattern("Next attempt\\s+(now|(in )?\\d+ s)")
                .containsPattern("Wait behind it\\s+2");
        browser.screenshot("lane");
        browser.click("button.retry");

        browser.await((text) -> text.contains("1 delivery retried."));
        shop.await(lane, DeliveryStatus.OPEN, 0);
        assertThat(shop.find(lane)).isEmpty();
        browser.assertClean();
    }

    @Test
    void skippedHeadLetsLaneContinue() {
        UUID event = deadLetter("skipped");
        shop.correct("billing.ledger", "skipped");
        shop.publish(order("skipped"));
        shop.await(DeliverySelection.lane("billing.ledger", "Order", "skipped"), DeliveryStatus.OPEN, 1);
        browser.open("/lanes?type=Order&id=skipped");

        browser.click("summary");
        assertThat(browser.text("details[open] .without"))
                .startsWith("1 delivery continues without it, and billing.ledger never receives this event.");
        browser.screenshot("skip-head");
        browser.type(By.cssSelector("details input[name=reason]"), "booked by hand");
        browser.click(By.xpath("//button[text()='Skip head']"));

        browser.await((text) -> text.contains("1 delivery skipped."));
        shop.await(DeliverySelection.lane("billing.ledger", "Order", "skipped"), DeliveryStatus.OPEN, 0);
        browser.open("/lanes?type=Order&id=skipped");
        assertThat(browser.text()).contains("Nothing waits");
        assertThat(shop.operations().operations(OperationSelection.ofEvent(event), 10))
                .extracting(Operation::performedBy, Operation::action, Operation::reason)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("ann", "SKIP", "booked by hand"));
        browser.assertClean();
    }

    private UUID deadLetter(String order) {
        shop.fail("billing.ledger", order, "account " + order + " is closed");
        UUID event = shop.publish(order(order)).get(0);
        shop.await(DeliverySelection.delivery(event, "billing.ledger"), DeliveryStatus.DEAD, 1);
        return event;
    }

    private static OutboxEvent order(String id) {
        return OutboxEvent.of("Order", id, new Shop.OrderPlaced("a book"));
    }
}
