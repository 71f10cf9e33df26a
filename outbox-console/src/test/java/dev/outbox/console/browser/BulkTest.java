package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.ReplayRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

/** Retry and skip of all dead letters of a handler or group, which run on the server, and of selected ones. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class BulkTest {

    private static final DeliverySelection PUSHES = DeliverySelection.all().ofHandler("push");

    private static final Pattern SOME = Pattern.compile("RUNNING[^0-9]*(Retried|Skipped)\\s+[1-9]");

    private final Browser browser;
    private final Shop shop;

    BulkTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    @Test
    void retryContinuesWhenItsPageIsClosed() {
        kill(1000);
        shop.fail("mail", "77", "421 Service not available");
        shop.publish(OutboxEvent.of("Order", "77", new Shop.OrderPlaced("a book")));
        shop.await(DeliverySelection.all().ofHandler("mail"), DeliveryStatus.OPEN, 1);
        browser.open("");
        browser.await("section.first .scroll", (text) -> text.contains("mail"));
        browser.open("/failures");
        browser.screenshot("failures");
        browser.click("a[href*='handler=push']");
        assertThat(browser.text("#preview-count")).isEqualTo("1,000");
        shop.correct("push", "");
        browser.click("#all-errors");

        browser.type("reason", "the gateway is back");
        browser.type("rate", "200");
        browser.click("#retry-all");
        browser.await((text) -> SOME.matcher(text).find());
        assertThat(browser.await((text) -> text.contains("Time left")))
                .containsPattern("Of\\s+1,000\\s+Per second\\s+[0-9.,]+\\s+Time left\\s+\\d+ s");
        assertThat(browser.find("#bar").getDomProperty("max")).isEqualTo("1000");
        assertThat(browser.find("#again").isDisplayed()).isFalse();
        browser.screenshot("progress");
        String page = browser.page();
        browser.open("/search");

        shop.await(PUSHES, DeliveryStatus.DEAD, 0);
        shop.await(PUSHES, DeliveryStatus.OPEN, 0);
        browser.open(page);
        browser.await((text) -> text.contains("DONE"));
        assertThat(browser.text("#changed")).isEqualTo("1,000");
        assertThat(shop.operations().operations(OperationSelection.ofHandler("push"), 2000))
                .filteredOn((operation) -> operation.reason().equals("the gateway is back"))
                .hasSize(1000)
                .extracting(Operation::performedBy)
                .containsOnly("ann");

        browser.open("/operations?handler=push");
        assertThat(browser.text("tbody tr")).contains("RETRY 1,000 of push");
        browser.screenshot("log");
        browser.click("a.entries");
        Set<String> shown = new HashSet<>(entries());
        while (!browser.driver.findElements(By.linkText("Older")).isEmpty()) {
            browser.click(By.linkText("Older"));
            shown.addAll(entries());
        }
        assertThat(shown).hasSize(1000);
        browser.screenshot("command");
        browser.assertClean();
    }

    private List<String> entries() {
        return browser.driver.findElements(By.cssSelector("tr.entry code")).stream()
                .map(WebElement::getText)
                .filter((text) -> text.matches("[0-9a-f-]{36}"))
                .toList();
    }

    @Test
    void retriesWhatItLeft() {
        kill(20);
        browser.open("/failures/group?handler=push&errorCode=IllegalStateException");
        browser.type("reason", "perhaps it is back");
        browser.click("#retry-all");
        browser.await((text) -> text.contains("DONE"));
        browser.await("#died-again", "20");
        browser.await("#left-count", "20");
        browser.screenshot("left");

        shop.correct("push", "");
        browser.type(By.cssSelector(".left input[name=reason]"), "now it is");
        browser.click("#again");
        browser.await((text) -> text.contains("now it is") && text.contains("DONE"));

        assertThat(browser.text("#changed")).isEqualTo("20");
        shop.await(PUSHES, DeliveryStatus.DEAD, 0);
        shop.await(PUSHES, DeliveryStatus.OPEN, 0);
        browser.await("#left-count", "0");
        assertThat(browser.find("#again").isDisplayed()).isFalse();
        browser.assertClean();
    }

    @Test
    void replayedEventThatDiesAgainIsRetried() {
        UUID event = kill(1).get(0);
        DeliverySelection delivery = DeliverySelection.delivery(event, "push");
        shop.operations().skip(delivery, "bob", "obsolete");
        shop.replay(ReplayRequest.of("push").event(event));
        shop.await(delivery, DeliveryStatus.DEAD, 1);

        browser.open("/events/" + event);
        assertThat(browser.text(".heading .pill")).isEqualTo("REPLAY DEAD");
        assertThat(browser.driver.findElements(By.cssSelector(".pill.published, a.again")))
                .isEmpty();
        browser.screenshot("replay-dead");
        shop.correct("push", "");
        browser.click("button.retry");
        shop.await(delivery, DeliveryStatus.OPEN, 0);
        browser.open("/events/" + event);
        assertThat(browser.text(".heading .pill")).isEqualTo("PUBLISHED");
        browser.assertClean();
    }

    @Test
    void selectedRowsAreRetriedByKeyboard() {
        List<UUID> events = kill(3);
        shop.correct("push", "");
        browser.open("/failures/group?handler=push&errorCode=IllegalStateException");
        String first = "PushSent of Customer c0, sequence "
                + shop.find(PUSHES).get(0).event().sequence();
        tabTo((element) -> first.equals(element.getAccessibleName()));
        press(Keys.SPACE);
        tabTo((element) -> events.get(2).toString().equals(element.getDomProperty("value")));
        press(Keys.SPACE);
        assertThat(browser.find("#select-all").getDomProperty("indeterminate")).isEqualTo("true");
        tabTo((element) -> "reason".equals(element.getDomProperty("name")));
        browser.screenshot("selected");
        press("two of three", Keys.ENTER);

        browser.await((text) -> text.contains("2 deliveries retried."));
        shop.await(PUSHES, DeliveryStatus.DEAD, 1);
        shop.await(PUSHES, DeliveryStatus.OPEN, 0);
        assertThat(shop.find(PUSHES).get(0).event().eventId()).isEqualTo(events.get(1));
        browser.open("/operations?handler=push");
        assertThat(browser.text("tbody tr")).contains("RETRY 2 of push", "two of three");
        browser.assertClean();
    }

    @Test
    void selectedRowsThatWereRetriedAreNotSkipped() {
        List<UUID> events = kill(3);
        browser.open("/failures/group?handler=push&errorCode=IllegalStateException");
        shop.correct("push", "");
        shop.operations().retry(DeliverySelection.delivery(events.get(0), "push"), "bob", "this one counts");

        browser.click("#select-all");
        browser.type(By.cssSelector("#selected input[name=reason]"), "sent by hand");
        browser.click("#skip-selected");

        browser.await((text) -> text.contains("2 deliveries skipped. 1 not changed"));
        assertThat(shop.operations().operations(OperationSelection.ofHandler("push"), 100))
                .filteredOn((operation) -> operation.reason().equals("sent by hand"))
                .extracting((operation) -> operation.subject().eventId())
                .containsExactlyInAnyOrder(events.get(1), events.get(2));
        browser.assertClean();
    }

    private void tabTo(Predicate<WebElement> element) {
        do {
            press(Keys.TAB);
        } while (!element.test(browser.driver.switchTo().activeElement()));
    }

    private void press(CharSequence... keys) {
        new Actions(browser.driver).sendKeys(keys).perform();
    }

    @Test
    void cancelledSkipLeavesTheOthersDead() {
        kill(200);
        shop.correct("push", "");
        browser.open("/failures/group?handler=push&errorCode=IllegalStateException");

        browser.click("summary");
        browser.type(By.cssSelector("details input[name=rate]"), "10");
        browser.type(By.cssSelector("details input[name=reason]"), "the campaign is over");
        browser.click("#skip-all");
        browser.await((text) -> SOME.matcher(text).find());
        browser.click("#cancel");
        browser.await((text) -> text.contains("CANCELLED"));

        long left =
                shop.operations().count(PUSHES.withStatus(DeliveryStatus.DEAD)).value();
        assertThat(left).isBetween(10L, 190L);
        browser.click("#left");
        assertThat(browser.text()).contains("All " + left + " of them");
        assertThat(shop.operations().operations(OperationSelection.ofHandler("push"), 2000))
                .filteredOn((operation) -> operation.reason().equals("the campaign is over"))
                .hasSize(200 - (int) left);
        browser.assertClean();
    }

    @Test
    void skippedEventIsDeliveredAgain() {
        UUID event = kill(1).get(0);
        shop.operations().skip(DeliverySelection.delivery(event, "push"), "bob", "obsolete");
        shop.correct("push", "");
        browser.open("/events/" + event);

        browser.click("a.again");
        browser.type("reason", "it was not obsolete");
        browser.click("#start");

        browser.await((text) -> text.contains("DONE"));
        assertThat(browser.text("#delivered")).isEqualTo("1");
        browser.assertClean();
    }

    private List<UUID> kill(int count) {
        shop.fail("push", "", "Connection refused: push.example.org:443");
        List<UUID> events = shop.publish(IntStream.range(0, count)
                .mapToObj((i) -> OutboxEvent.of("Customer", "c" + i, new Shop.PushSent("your parcel is here")))
                .toArray(OutboxEvent[]::new));
        shop.await(PUSHES, DeliveryStatus.DEAD, count);
        return events;
    }
}
