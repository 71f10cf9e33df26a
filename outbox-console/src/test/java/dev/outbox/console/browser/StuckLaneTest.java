package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.testing.OpenTransaction;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;

/** Lanes that operators free, alone or two at once. */
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
                .containsPattern("Next attempt\\s+(in )?\\d+ s")
                .containsPattern("Wait behind it\\s+2");
        browser.screenshot("lane");
        browser.click("button.retry");

        browser.await((text) -> text.contains("1 delivery retried."));
        shop.await(lane, DeliveryStatus.OPEN, 0);
        assertThat(shop.find(lane)).isEmpty();
        browser.assertClean();
    }

    @Test
    void secondOperatorLearnsThatFirstWasFaster() {
        UUID event = deadLetter("raced");
        browser.open("/events/" + event);
        OperatorClient bob = OperatorClient.signedIn(shop.address(), "bob");
        shop.correct("billing.ledger", "raced");

        int status = bob.post(
                        "/outbox/deliveries/retry",
                        Map.of(
                                "event",
                                event.toString(),
                                "handler",
                                "billing.ledger",
                                "reason",
                                "bob was here",
                                "_csrf",
                                bob.token("/outbox/events/" + event)),
                        "Sec-Fetch-Site",
                        "same-origin")
                .statusCode();
        assertThat(status).isEqualTo(303);
        DeliverySelection delivery = DeliverySelection.delivery(event, "billing.ledger");
        shop.await(delivery, DeliveryStatus.OPEN, 0);
        shop.await(delivery, DeliveryStatus.DEAD, 0);
        browser.click("button.retry");

        assertThat(browser.await((text) -> text.contains("Nothing changed")))
                .contains("another operator or a worker was faster");
        assertThat(shop.operations().operations(OperationSelection.ofEvent(event), 10))
                .extracting(Operation::performedBy)
                .containsExactly("bob");
        browser.assertClean();
    }

    @Test
    void operatorLearnsThatDeliveryIsLocked() throws Exception {
        UUID event = deadLetter("locked");
        browser.open("/events/" + event);

        try (OpenTransaction other = OpenTransaction.of(shop.database.dataSource())) {
            other.run("SELECT id FROM events.outbox WHERE event_id = '" + event + "' FOR UPDATE");
            browser.click("button.retry");

            assertThat(browser.await((text) -> text.contains("1 busy: a worker attempts it at the moment")))
                    .contains("Timeline");
        }
        assertThat(shop.find(DeliverySelection.delivery(event, "billing.ledger")))
                .hasSize(1);
        browser.assertClean();
    }

    @Test
    void skippedHeadLetsLaneContinue() {
        UUID event = deadLetter("skipped");
        browser.open("/lanes?type=Order&id=skipped");

        browser.click("summary");
        browser.type(By.cssSelector("details input[name=reason]"), "booked by hand");
        browser.click(By.xpath("//button[text()='Skip head']"));

        browser.await((text) -> text.contains("1 delivery skipped."));
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
