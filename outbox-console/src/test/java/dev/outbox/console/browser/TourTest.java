package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import org.openqa.selenium.support.ui.Select;

/** Every page as an operator walks through them; with {@code -Dscreenshots} the pictures of the documentation. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class TourTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    private final Browser browser;
    private final Shop shop;

    TourTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    @Test
    void overviewShowsStreamsHandlersAndInstances() {
        stuckOrders("42");
        browser.open("");

        assertThat(browser.await((text) -> text.contains("Why is Order 42 stuck?")))
                .contains("Needs attention", "Streams", "default", "Handlers", "billing.ledger", "Instances")
                .doesNotContain("No instance polls");
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> Boolean.TRUE.equals(
                        browser.script("return document.querySelector('#lag path')?.getAttribute('d').includes('L')")));
        if (Browser.takesScreenshots()) {
            trafficForTheCharts();
            browser.screenshot("overview");
            browser.scheme("dark");
            browser.open("");
            browser.screenshot("overview-dark");
        }
        browser.assertClean();
    }

    @Test
    void eventShowsTimelineAndContent() {
        UUID event = stuckOrders("43");
        browser.open("/events/" + event);

        assertThat(browser.text())
                .contains("OrderPlaced of Order 43", "DEAD", TRACE, "Stored", "Attempt 1 failed: IllegalStateException")
                .contains("\"text\": \"a book\"", "tenant", "acme")
                .doesNotContain("hidden");
        browser.screenshot("event");
        browser.click("#trace");
        assertThat(browser.await((text) -> text.contains("Search"))).contains("OrderPlaced");
        browser.assertClean();
    }

    @Test
    void timesHaveTheClockOfTheReaderToo() {
        UUID event = stuckOrders("45");
        timeZone("Asia/Seoul");
        try {
            browser.open("/events/" + event);
            String time = browser.text("dd time");

            assertThat(time).matches("(?:now|\\d+ s ago) \\d\\d(:\\d\\d:\\d\\d)Z \\d\\d\\1 GMT\\+9");
            String[] clocks = time.replaceFirst("now |\\d+ s ago ", "").split(" ");
            assertThat(Integer.parseInt(clocks[1].substring(0, 2)))
                    .isEqualTo((Integer.parseInt(clocks[0].substring(0, 2)) + 9) % 24);
        } finally {
            timeZone("");
        }
        browser.assertClean();
    }

    @Test
    void idsAreCopied() {
        UUID event = stuckOrders("46");
        browser.driver.executeCdpCommand(
                "Browser.grantPermissions",
                Map.of("permissions", List.of("clipboardReadWrite", "clipboardSanitizedWrite")));
        browser.open("/events/" + event);
        browser.click("code[data-copy] + button");

        browser.await("code[data-copy] + button :first-child", "Copied");
        assertThat(browser.driver.executeAsyncScript("navigator.clipboard.readText().then(arguments[0])"))
                .isEqualTo(event.toString());
        browser.assertClean();
    }

    @Test
    void searchFindsByIdsWithoutTypes() {
        UUID event = stuckOrders("44");
        browser.open("/search");
        browser.type("q", "44");
        browser.click("#search");
        assertThat(browser.await((text) -> text.contains("Why is Order 44 stuck?")))
                .contains("OrderPlaced", "DEAD");

        browser.open("/search");
        browser.type("q", event.toString());
        browser.click("#search");
        browser.await((text) -> text.contains("Timeline"));
        assertThat(browser.driver.getCurrentUrl()).endsWith("/shop/outbox/events/" + event);

        browser.open("/search?aggregateType=Order&aggregateId=nothing");
        assertThat(browser.text()).contains("No event matches.");
        browser.assertClean();
    }

    @Test
    void replayIsPreviewedStartedAndDone() {
        shop.publish(IntStream.range(0, 20)
                .mapToObj((i) -> OutboxEvent.of("Order", "again", new Shop.OrderPlaced("book " + i)))
                .toArray(OutboxEvent[]::new));
        browser.open("/replays");
        browser.click("#new-replay");
        browser.click("option[value='mail']");
        browser.type("aggregateType", "Order");
        browser.type("aggregateId", "again");
        browser.type("reason", "mails of 1 March were empty");
        browser.click("#preview");
        assertThat(browser.await((text) -> text.contains("Start this replay?")))
                .contains("Order again", "at most 100 events per second");
        browser.click("#start");

        browser.await((text) -> text.contains("Started. It runs on the server"));
        browser.await((text) -> text.contains("DONE"));
        assertThat(browser.text("#delivered")).isEqualTo("20");
        browser.screenshot("replay");
        browser.open("/replays");
        assertThat(browser.text()).contains("mails of 1 March were empty", "ann");
        browser.assertClean();
    }

    @Test
    void pausedHandlerIsShownAndResumed() {
        browser.open("/confirm?action=pause&subject=handler&name=push");
        browser.type("reason", "the gateway moves");
        browser.click("#confirm");
        assertThat(browser.await((text) -> text.contains("Paused.")))
                .contains("PAUSED Handler push By ann: the gateway moves");
        assertThat(browser.driver.getCurrentUrl()).endsWith("/shop/outbox");

        browser.click(By.xpath("//tr[th/bdi[text()='push']]//a[contains(., 'Resume')]"));
        browser.click("#confirm");

        assertThat(browser.await((text) -> text.contains("Resumed."))).doesNotContain("PAUSED");
        browser.open("/operations?handler=push&actor=ann");
        assertThat(browser.text()).contains("the gateway moves", "ann");
        browser.assertClean();
    }

    @Test
    void pauseSaysWhenItEndsAndIsProlonged() {
        browser.open("/confirm?action=pause&subject=handler&name=push");
        choose("after 30 minutes");
        browser.type("reason", "the gateway moves");
        browser.screenshot("pause");
        browser.click("#confirm");
        assertThat(browser.await((text) -> text.contains("Paused.")))
                .containsPattern(
                        "PAUSED Handler push By ann: the gateway moves (now|\\d+ s ago) [0-9:]+Z, ends in (30|29) min");

        browser.click(By.xpath("//tr[th/bdi[text()='push']]//a[contains(., 'Resume')]"));
        browser.click("#pause-again");
        choose("after 4 hours");
        browser.click("#confirm");
        browser.await((text) -> text.contains("Paused.") && text.contains(", ends in 3 h 59 min"));
        browser.screenshot("paused");

        browser.click(By.xpath("//tr[th/bdi[text()='push']]//a[contains(., 'Resume')]"));
        browser.click("#confirm");
        assertThat(browser.await((text) -> text.contains("Resumed."))).doesNotContain("PAUSED");
        browser.open("/operations?handler=push&actor=ann");
        assertThat(browser.text()).containsPattern("PAUSE_HANDLER of push until [0-9 -]*[0-9:]+Z");
        browser.assertClean();
    }

    private void choose(String end) {
        new Select(browser.find("select[name=duration]")).selectByVisibleText(end);
    }

    @Test
    void handlersAreFilteredWhileTheOperatorTypes() {
        browser.open("");
        browser.type("filter", "led");

        browser.await((text) -> text.contains("billing.ledger") && !text.contains("mail"));
        assertThat(browser.find("#filter").getDomProperty("value")).isEqualTo("led");
        browser.assertClean();
    }

    @Test
    void streamIsPausedAndResumed() {
        browser.open("");
        browser.click("#stream-0");
        browser.click("#confirm");
        browser.await((text) -> text.contains("Paused.") && text.contains("PAUSED"));
        browser.click("#stream-0");
        browser.click("#confirm");

        assertThat(browser.await((text) -> text.contains("Resumed."))).doesNotContain("PAUSED");
        browser.assertClean();
    }

    private void timeZone(String name) {
        browser.driver.executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", name));
    }

    /** One order that failed for good and blocks its lane, with two behind it. */
    private UUID stuckOrders(String order) {
        shop.fail("billing.ledger", order, "Account 4711 is closed since 2026-02-28");
        OutboxEvent event = OutboxEvent.of("Order", order, new Shop.OrderPlaced("a book"))
                .withHeader("traceId", TRACE)
                .withHeader("tenant", "acme");
        UUID first = shop.publish(event, event, event).get(0);
        shop.await(DeliverySelection.delivery(first, "billing.ledger"), DeliveryStatus.DEAD, 1);
        return first;
    }

    /** Publishes for half a minute, so that the lines of the charts have a form. */
    private void trafficForTheCharts() {
        shop.fail("mail", "4711", "421 Service not available");
        shop.publish(OutboxEvent.of("Order", "4711", new Shop.OrderPlaced("a book")));
        int[] round = {0};
        Awaitility.await()
                .pollInterval(Duration.ofMillis(500))
                .atMost(Duration.ofSeconds(60))
                .until(() -> {
                    shop.publish(IntStream.range(0, 10 + 15 * (round[0] % 7))
                            .mapToObj((i) -> OutboxEvent.of("Order", "o" + i, new Shop.OrderPlaced("a book")))
                            .toArray(OutboxEvent[]::new));
                    return ++round[0] > 60;
                });
    }
}
