package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;

/** What an operator sees of a handler that fails nothing, but is slow or hangs. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class SlownessTest {

    private final Browser browser;
    private final Shop shop;

    SlownessTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    @AfterEach
    void deliver() {
        shop.slowDown(Duration.ZERO);
        browser.open("");
        browser.await((text) -> !text.contains("Stream parcels") && !text.contains("HANGS"));
    }

    @Test
    void backlogBehindASlowHandlerNamesTheHandler() {
        shop.slowDown(Duration.ofMillis(2500));
        parcels(1200);
        browser.open("");

        assertThat(browser.await(
                        (text) -> text.contains("parcel takes 2 s a call") && text.contains("has handled parcel for")))
                .contains("No handler fails, but stream parcels is behind: parcel takes 2 s a call.")
                .containsPattern("BACKLOG Stream parcels 1,[12]\\d\\d events are unpublished")
                .containsPattern("2\\.[5-9] s × \\d");
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
        shop.publish(IntStream.range(0, count)
                .mapToObj((i) -> OutboxEvent.of("Parcel", Integer.toString(i), new Shop.ParcelSent("a book")))
                .toArray(OutboxEvent[]::new));
    }
}
