package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import java.time.Duration;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import org.openqa.selenium.logging.LogType;

/** The first page names the cause of each incident. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class IncidentsTest {

    /** A call of another test may be one of the last minute. */
    private static final Pattern BEHIND =
            Pattern.compile("No handler fails, but stream parcels is behind: parcel takes [2-9] s a call\\.");

    private final Browser browser;
    private final Shop shop;

    IncidentsTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    @AfterEach
    void recover() {
        shop.network.heal();
        shop.startOver();
        browser.open("");
        browser.await((text) -> !text.contains("Needs attention"));
        browser.driver.manage().logs().get(LogType.BROWSER);
    }

    @Test
    void oneCustomerWaits() {
        shop.fail("billing.ledger", "4711", "Account 42 is closed");
        shop.publish(order("4711"), order("4711"));
        shop.await(DeliverySelection.lane("billing.ledger", "Order", "4711"), DeliveryStatus.DEAD, 1);
        browser.open("");

        assertThat(browser.await((text) -> text.contains("1 handler fails, 1 dead letter")))
                .contains("billing.ledger IllegalStateException", "Why is Order 4711 stuck?");
        browser.screenshot("incident-customer");
        browser.assertClean();
    }

    @Test
    void systemIsDownAndTwentyThousandEventsDie() {
        shop.fail("push", "", "Connection refused: push.example.org:443");
        publish(20_000, (i) -> OutboxEvent.of("Customer", "c" + i, new Shop.PushSent("your parcel is here")));
        browser.open("");

        assertThat(browser.await((text) -> text.contains("1 handler fails, 10,000+ dead letters")))
                .contains("push IllegalStateException 10,000+");
        browser.screenshot("incident-outage");
        browser.assertClean();
    }

    @Test
    void instanceIsSuspended() throws Exception {
        try (Shop.Instance other = shop.startInstance()) {
            browser.open("");
            browser.await((text) -> text.contains(other.id()));
            other.suspend();

            assertThat(browser.await((text) -> text.contains("NO SIGN OF LIFE")))
                    .containsPattern("Instance \\S+" + other.id() + "\\S+ It has probably crashed\\.");
            browser.screenshot("incident-suspended");
            browser.assertClean();
        }
    }

    @Test
    void databaseIsSlow() {
        browser.open("");
        browser.await("#freshness", "live");
        shop.network.delay(Duration.ofMillis(800));

        assertThat(browser.await((text) -> text.contains("As of")))
                .contains("The database is slow, or does not answer.", "Streams");
        browser.await("#freshness", (text) -> text.startsWith("as of "));
        browser.screenshot("incident-slow-database");
        shop.network.heal();
        browser.await("#freshness", "live");
    }

    @Test
    void backlogBehindASlowHandlerNamesTheHandler() {
        shop.slowDown(Duration.ofMillis(2500));
        parcels(1200);
        browser.open("");

        assertThat(browser.await((text) -> BEHIND.matcher(text).find()))
                .containsPattern("BACKLOG Stream parcels 1,[12]\\d\\d events are unpublished")
                .containsPattern("\\d\\.\\d s × \\d");
        browser.screenshot("slow");
        browser.open("/lanes?type=Parcel&id=1100");
        assertThat(browser.text("p.cause"))
                .matches("It awaits its first delivery behind 1,[01]\\d\\d older events of its stream\\..*");
        browser.assertClean();
    }

    @Test
    void handlerThatHangsIsFoundInTwoClicks() {
        shop.slowDown(Duration.ofMinutes(2));
        parcels(3);
        browser.open("");

        assertThat(browser.await((text) -> text.contains("HANGS")))
                .contains("No handler fails, but parcel hangs.")
                .contains("has not finished ParcelSent of Parcel 0. Restart the instance unless the call ends");
        browser.screenshot("hangs");
        browser.click(By.xpath("//li[contains(., 'HANGS')]//a"));
        assertThat(browser.text()).contains("ParcelSent of Parcel 0");

        browser.open("/lanes?type=Parcel&id=2");
        assertThat(browser.text("p.cause")).matches(".* has handled parcel for \\d+ s\\.");
        assertThat(browser.text("p.remedy")).contains("Restart").contains("give the handler a timeout");
        browser.screenshot("hangs-lane");
        browser.assertClean();
    }

    private void parcels(int count) {
        publish(count, (i) -> OutboxEvent.of("Parcel", Integer.toString(i), new Shop.ParcelSent("a book")));
    }

    private static OutboxEvent order(String id) {
        return OutboxEvent.of("Order", id, new Shop.OrderPlaced("a book"));
    }

    private void publish(int count, IntFunction<OutboxEvent> event) {
        shop.publish(IntStream.range(0, count).mapToObj(event).toArray(OutboxEvent[]::new));
    }
}
