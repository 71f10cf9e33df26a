package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Erasure;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.support.ui.Select;

/** Users who may look, and not change everything. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class ViewerTest {

    private static final String LANE = "/lanes?type=Order&id=viewed";
    private static final String CHANGES = "main form[method=post] button, .act a, summary, a[href*='/confirm'], #erase";

    private static final String SEEN =
            "return [...document.querySelectorAll(arguments[0])].filter((part) => part.getClientRects().length).length";

    private final Browser browser;
    private final Shop shop;

    ViewerTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    @AfterEach
    void signInAsOperator() {
        browser.signIn("ann");
    }

    @Test
    void viewerSeesTheStateWithoutWhatChangesIt() {
        shop.fail("billing.ledger", "viewed", "Account 42 is closed");
        shop.publish(OutboxEvent.of("Order", "viewed", new Shop.OrderPlaced("a book")));
        shop.await(DeliverySelection.lane("billing.ledger", "Order", "viewed"), DeliveryStatus.DEAD, 1);
        assertThat(changesOn("")).isPositive();
        assertThat(changesOn(LANE)).isPositive();

        browser.signIn("viv");

        assertThat(changesOn("")).isZero();
        assertThat(browser.text("#operator")).isEqualTo("viv");
        browser.await((text) -> text.contains("billing.ledger"));
        assertThat(changesOn(LANE)).isZero();
        browser.await((text) -> text.contains("Account 42 is closed"));
    }

    @Test
    void eraserSeesTheNumberOfEventsAndErasesThem() {
        shop.publish(
                OutboxEvent.of("Order", "erased", new Shop.OrderPlaced("a book")),
                OutboxEvent.of("Order", "erased", new Shop.OrderPlaced("a lamp")));
        shop.fail("push", "", "the gateway is down");
        shop.publish(OutboxEvent.of("Order", "erased", new Shop.PushSent("a book")));
        shop.await(DeliverySelection.lane("push", "Order", "erased"), DeliveryStatus.DEAD, 1);
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> shop.operations()
                                .countErasable(Erasure.ofAggregate("Order", "erased"))
                                .undelivered()
                                .value()
                        == 1);
        String lane = "/lanes?type=Order&id=erased";
        browser.signIn("bob");
        assertThat(changesOn(lane)).isPositive();
        assertThat(browser.find("#erase").isDisplayed()).isFalse();
        browser.signIn("dan");
        browser.startOver();
        assertThat(changesOn(lane)).isOne();

        browser.click("#erase");

        browser.await("#events", "3");
        browser.await("#undelivered", "1");
        browser.screenshot("erase");
        new Select(browser.find("[name=undelivered]")).selectByValue("KEEP");
        browser.type("reason", "request 4711");
        browser.click("#confirm");
        browser.await((text) -> text.contains("Events erased: 2. Not delivered, and kept: 1."));
        browser.assertClean();
    }

    private long changesOn(String page) {
        browser.open(page);
        return (Long) browser.script(SEEN, CHANGES);
    }
}
