package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The console on the screen of a phone. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class PhoneTest {

    private static final String WIDEST =
            "return Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('.scroll')].map((part) =>"
                    + " part.scrollWidth - part.clientWidth + innerWidth)) - innerWidth";

    /** The lowest contrast of the border of a field with what is around it. */
    private static final String CONTRAST = """
            const light = (color) => {
              const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
                .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
              return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const field = document.querySelector('input[name=q]');
            const edge = light(getComputedStyle(field).borderColor);
            return Math.min(...[field, field.closest('.card')].map((part) => light(getComputedStyle(part).backgroundColor))
              .map((ground) => (Math.max(edge, ground) + 0.05) / (Math.min(edge, ground) + 0.05)));
            """;

    private final Browser browser;
    private final Shop shop;
    private UUID event;

    PhoneTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    @BeforeEach
    void hold() {
        browser.driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", 390, "height", 844, "deviceScaleFactor", 1, "mobile", true));
        shop.fail("billing.ledger", "phone", "Account 42 is closed");
        event = shop.publish(OutboxEvent.of("Order", "phone", new Shop.OrderPlaced("a book")))
                .get(0);
        DeliverySelection delivery = DeliverySelection.delivery(event, "billing.ledger");
        shop.await(delivery, DeliveryStatus.DEAD, 1);
        shop.operations().retry(delivery, "ann", "again");
        shop.await(delivery, DeliveryStatus.DEAD, 1);
    }

    @AfterEach
    void putAway() {
        browser.driver.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
    }

    @Test
    void noPageIsWiderThanTheScreen() {
        Operation.Command command =
                shop.operations().commands(OperationSelection.all(), 1).get(0);
        long retry = shop.retry(DeliverySelection.all().ofHandler("billing.ledger"));
        for (String page : List.of(
                "",
                "/failures",
                "/failures?handler=billing.ledger",
                "/failures/group?handler=billing.ledger&errorCode=IllegalStateException",
                "/events/" + event,
                "/lanes?type=Order&id=phone",
                "/search?aggregateType=Order&aggregateId=phone",
                "/operations",
                "/operations/" + command.id(),
                "/replays/" + retry,
                "/replays")) {
            browser.open(page);
            assertThat((Long) browser.script(WIDEST)).as(page).isLessThanOrEqualTo(0);
        }
        browser.assertClean();
    }

    @Test
    void rowsAreCardsWithTheHeadsOfTheirColumns() {
        browser.open("/operations?event=" + event);

        assertThat(browser.script("const cell = document.querySelector('tbody td'); return [getComputedStyle("
                        + "cell.closest('tr')).display, getComputedStyle(cell, '::before').content].join()"))
                .isEqualTo("block,\"When\"");
        browser.open("");
        browser.await((text) -> text.contains("Order phone"));
        browser.screenshot("phone");
    }

    @Test
    void rowsAreSelectedInTheirCards() {
        browser.open("/failures/group?handler=billing.ledger&errorCode=IllegalStateException");
        browser.click("#select-all");

        assertThat(browser.script("const box = document.querySelector('td [name=event]'); return [box.checked,"
                        + " getComputedStyle(box.closest('td'), '::before').content].join()"))
                .isEqualTo("true,\"Select\"");
        browser.click("td [name=event]");
        assertThat(browser.find("#select-all").isSelected()).isFalse();
        browser.assertClean();
    }

    @Test
    void idleStreamsAreOneLineAndStayOpen() {
        JdbcClient jdbc = JdbcClient.create(shop.database.dataSource());
        jdbc.sql("INSERT INTO events.outbox_stream (stream) SELECT 'idle' || n FROM generate_series(1, 10) n")
                .update();
        try {
            browser.open("");
            browser.await((text) -> text.matches("(?s).*\\b1[01] idle streams.*"));
            assertThat(browser.text()).doesNotContain("idle7");

            browser.click("#idle summary");
            browser.script("document.getElementById('live').prepend(document.createElement('details'))");
            browser.await(
                    (text) -> Boolean.TRUE.equals(browser.script("return !document.querySelector('#live > details')")));
            assertThat(browser.text()).contains("idle7");
            browser.assertClean();
        } finally {
            jdbc.sql("DELETE FROM events.outbox_stream WHERE stream LIKE 'idle%'")
                    .update();
        }
    }

    @Test
    void navigationIsOneLine() {
        browser.open("");

        assertThat(browser.script("return new Set([...document.querySelectorAll('header nav a')]"
                        + ".map((link) => link.getBoundingClientRect().top)).size"))
                .isEqualTo(1L);
    }

    @Test
    void timesAreAbsoluteToo() {
        browser.open("/operations?event=" + event);

        assertThat(browser.text("time")).matches("(now|\\d+ s ago) \\d\\d:\\d\\d:\\d\\dZ");
        assertThat(browser.driver.findElements(By.cssSelector("th bdi, td bdi")))
                .isNotEmpty();
    }

    @Test
    void timeThatIsHalfASecondAheadIsNow() {
        browser.open("/operations?event=" + event);
        browser.script("setInterval(() => { document.querySelector('time.ago').dataset.at = Date.now() + 500; })");

        browser.await("time.ago span", "now");
    }

    @Test
    void bordersOfFieldsAreVisible() {
        for (String scheme : List.of("light", "dark")) {
            browser.scheme(scheme);
            browser.open("/search");
            assertThat(((Number) browser.script(CONTRAST)).doubleValue())
                    .as(scheme)
                    .isGreaterThanOrEqualTo(3);
        }
    }
}
