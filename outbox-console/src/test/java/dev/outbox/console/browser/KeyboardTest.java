package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

/** The console without a mouse, in the dark, and in a tab that is not looked at. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class KeyboardTest {

    private final Browser browser;
    private final Shop shop;

    KeyboardTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    @Test
    void everyPageIsReachableByTab() {
        browser.open("");
        press(Keys.TAB);
        assertThat(focused().getText()).isEqualTo("Skip to content");
        press(Keys.ENTER);
        assertThat(focused().getTagName()).isEqualTo("main");

        browser.open("");
        List<String> reached = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            press(Keys.TAB);
            reached.add(focused().getText());
            assertThat(browser.script("return getComputedStyle(document.activeElement).outlineStyle"))
                    .as("outline of %s", reached)
                    .isEqualTo("solid");
        }
        assertThat(reached)
                .containsSubsequence("Overview", "Failures", "Search", "Replays", "Scheduled", "Tables", "Log");
        browser.assertClean();
    }

    @Test
    void enterRetriesHeadOfLane() {
        shop.fail("billing.ledger", "keys", "account keys is closed");
        shop.publish(OutboxEvent.of("Order", "keys", new Shop.OrderPlaced("a book")));
        DeliverySelection lane = DeliverySelection.lane("billing.ledger", "Order", "keys");
        shop.await(lane, DeliveryStatus.DEAD, 1);
        shop.correct("billing.ledger", "keys");
        browser.open("/lanes?type=Order&id=keys");

        while (!"reason".equals(focused().getDomAttribute("name"))) {
            press(Keys.TAB);
        }
        press(Keys.ENTER);

        browser.await((text) -> text.contains("1 delivery retried."));
        shop.await(lane, DeliveryStatus.DEAD, 0);
        browser.assertClean();
    }

    @Test
    void hiddenTabAsksForNothing() {
        browser.open("");
        browser.await((text) -> text.contains("Handlers"));
        browser.script(
                "Object.defineProperty(document, 'hidden', { get: () => true, configurable: true });"
                        + "window.asked = 0; const send = XMLHttpRequest.prototype.send;"
                        + "XMLHttpRequest.prototype.send = function () { window.asked++; return send.apply(this, arguments); }");

        Awaitility.await()
                .during(Duration.ofMillis(2500))
                .atMost(Duration.ofSeconds(30))
                .until(() -> Long.valueOf(0).equals(browser.script("return window.asked")));

        browser.script("delete document.hidden");
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> !Long.valueOf(0).equals(browser.script("return window.asked")));
    }

    @Test
    void darkSchemeIsDark() {
        browser.open("/failures");
        assertThat(brightness()).isGreaterThan(200);

        browser.scheme("dark");
        browser.open("/failures");

        assertThat(brightness()).isLessThan(60);
        browser.assertClean();
    }

    private long brightness() {
        return (Long) browser.script("return Math.round(getComputedStyle(document.body).backgroundColor"
                + ".match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3)");
    }

    private WebElement focused() {
        return browser.driver.switchTo().activeElement();
    }

    private void press(Keys key) {
        new Actions(browser.driver).sendKeys(key).perform();
    }
}
