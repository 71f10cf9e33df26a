package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A user who may look, and not change. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class ViewerTest {

    private static final String LANE = "/lanes?type=Order&id=viewed";
    private static final String CHANGES = "main form[method=post] button, .act a, summary, a[href*='/confirm']";

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

    private long changesOn(String page) {
        browser.open(page);
        return (Long) browser.script(SEEN, CHANGES);
    }
}
