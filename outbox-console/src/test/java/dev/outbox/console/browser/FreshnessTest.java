package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;

/** What the live page says while the application or its database does not answer, and what it leaves alone while an operator uses it. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class FreshnessTest {

    private static final String COUNT_ANSWERS = "document.addEventListener('htmx:beforeSwap', () => window.answers++)";

    private final Browser browser;
    private final Shop shop;

    FreshnessTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    @AfterEach
    void connect() {
        offline(false);
        shop.database.restore();
    }

    @Test
    void pageIsNotLiveWhileTheApplicationDoesNotAnswer() {
        browser.open("");
        browser.await("#freshness", "live");

        offline(true);
        assertThat(browser.await((text) -> text.contains("no answer for")))
                .contains("The application does not answer.");
        for (String part : List.of("#headline", ".charts", "#live section.card")) {
            assertThat(browser.find(part).getCssValue("opacity")).as(part).isEqualTo("0.55");
        }
        offline(false);
        browser.await("#freshness", "live");
        browser.driver.manage().logs().get(LogType.BROWSER);
    }

    @Test
    void replayIsNotLiveWhileTheApplicationDoesNotAnswer() {
        browser.open("/replays/" + shop.replay("mail"));
        browser.await("#freshness", "live");

        offline(true);
        browser.await((text) -> text.contains("no answer for"));
        offline(false);
        browser.await("#freshness", "live");
        browser.driver.manage().logs().get(LogType.BROWSER);
    }

    @Test
    void pageIsNotLiveWhileTheDatabaseIsAway() {
        browser.open("");
        browser.await("#freshness", "live");

        shop.database.cutOff();
        assertThat(browser.await((text) -> text.contains("As of")))
                .contains("does not answer.", "This page shows an earlier state.", "Streams")
                .doesNotContain("The application");
        browser.await("#freshness", (text) -> text.startsWith("as of "));
        browser.screenshot("database-away");
        browser.open("");
        assertThat(browser.text("#freshness")).startsWith("as of ");
        shop.database.restore();
        browser.await("#freshness", "live");
        browser.driver.manage().logs().get(LogType.BROWSER);
    }

    @Test
    void pausedPageStaysAsItIs() {
        browser.open("");
        browser.click("#pause");
        shop.fail("push", "", "the gateway is down");
        shop.publish(OutboxEvent.of("Order", "paused", new Shop.PushSent("a book")));

        browser.await("#freshness", "paused");
        browser.click("#pause");
        browser.await((text) -> text.contains("push") && text.contains("Needs attention"));
        browser.await("#freshness", "live");
        browser.assertClean();
    }

    @Test
    void screenReaderHearsSentencesNotFigures() {
        shop.fail("push", "", "the gateway is down");
        shop.fail("billing.ledger", "", "the account is closed");
        publishPushes(2);
        browser.open("");
        browser.await((text) -> text.contains("1 handler fails, 2 dead letters."));
        browser.script("window.heard = []; const status = document.getElementById('status');"
                + " new MutationObserver(() => window.heard.push(status.textContent))"
                + ".observe(status, { childList: true, characterData: true, subtree: true })");

        publishPushes(2);
        browser.await((text) -> text.contains("1 handler fails, 4 dead letters."));
        assertThat(browser.script("return window.heard.join()")).isEqualTo("");
        shop.publish(OutboxEvent.of("Order", "heard", new Shop.OrderPlaced("a book")));
        browser.await((text) -> text.contains("2 handlers fail, 5 dead letters."));

        assertThat(browser.script("return window.heard.join()")).isEqualTo("2 handlers fail, 5 dead letters.");
        browser.assertClean();
    }

    @Test
    void refreshKeepsClicksSelectionsAndPlaces() {
        browser.open("");
        browser.script(COUNT_ANSWERS);

        WebElement heading = pressHeading();
        awaitAnswers(2);
        assertThat(isAttached(heading)).isTrue();
        new Actions(browser.driver).release().perform();

        browser.script("getSelection().selectAllChildren(document.querySelector('#live h2'))");
        awaitAnswers(2);
        assertThat(browser.script("return getSelection().toString()")).isNotEqualTo("");
        browser.await((text) -> text.contains("held for "));
        assertThat(browser.find(".live-mark .dot").getCssValue("background-color"))
                .isEqualTo("rgba(138, 90, 0, 1)");

        browser.script("getSelection().removeAllRanges()");
        awaitAnswers(2);
        assertThat(isAttached(heading)).isFalse();
        browser.await("#freshness", "live");
        browser.assertClean();
    }

    @Test
    void refreshKeepsScrolledTableAndFocus() {
        shop.fail("push", "", "the gateway is down");
        shop.publish(OutboxEvent.of("Order", "focused", new Shop.PushSent("a book")));
        browser.open("");
        browser.await((text) -> text.contains("Why is Order focused stuck?"));
        browser.script(COUNT_ANSWERS);
        browser.script("document.styleSheets[0].insertRule('#live .scroll { width: 200px }')");
        browser.script(
                "document.querySelector('#live a.lane').focus(); document.querySelector('#live .scroll').scrollLeft = 90");
        assertThat(browser.script("return document.querySelector('#live .scroll').scrollLeft"))
                .isEqualTo(90L);

        awaitAnswers(2);
        assertThat(browser.script("return document.querySelector('#live .scroll').scrollLeft"))
                .isEqualTo(90L);
        assertThat(browser.script("return document.activeElement.className")).isEqualTo("lane");
        browser.assertClean();
    }

    private void publishPushes(int count) {
        shop.publish(IntStream.range(0, count)
                .mapToObj((i) -> OutboxEvent.of("Order", "heard", new Shop.PushSent("a book")))
                .toArray(OutboxEvent[]::new));
    }

    private void awaitAnswers(int count) {
        browser.script("window.answers = 0");
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> (Long) browser.script("return window.answers") >= count);
    }

    /** Presses the button of the mouse on a heading, again if the page renews it at the same moment. */
    private WebElement pressHeading() {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .ignoreException(StaleElementReferenceException.class)
                .until(
                        () -> {
                            WebElement heading = browser.find("#live h2");
                            new Actions(browser.driver)
                                    .moveToElement(heading)
                                    .clickAndHold()
                                    .perform();
                            return heading;
                        },
                        FreshnessTest::isAttached);
    }

    private static boolean isAttached(WebElement element) {
        try {
            return element.isDisplayed();
        } catch (StaleElementReferenceException ex) {
            return false;
        }
    }

    private void offline(boolean offline) {
        browser.driver.executeCdpCommand("Network.enable", Map.of());
        browser.driver.executeCdpCommand(
                "Network.emulateNetworkConditions",
                Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
    }
}
