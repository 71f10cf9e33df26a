package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import java.time.Duration;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a browser makes of the charts. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class ChartsTest {

    private static final String COLOR =
            "const line = document.querySelector('#lag path'); return line && getComputedStyle(line).stroke";

    private final Browser browser;
    private final Shop shop;

    ChartsTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    @BeforeEach
    void fail() {
        shop.fail("billing.ledger", "drawn", "Account 42 is closed");
        OutboxEvent event = OutboxEvent.of("Order", "drawn", new Shop.OrderPlaced("a book"));
        shop.publish(event, event);
    }

    @Test
    void linesHaveTheColorsOfTheSchemeWithoutAScriptOfCharts() {
        String light = color();
        browser.scheme("dark");
        String dark = color();

        assertThat(light).startsWith("rgb(");
        assertThat(dark).startsWith("rgb(").isNotEqualTo(light);
        assertThat(browser.script(
                        "return [...document.scripts].map((script) => script.src.replace(/.*\\//, '')).join(' ')"))
                .isEqualTo("htmx.js console.js");
        browser.assertClean();
    }

    @Test
    void tableOfAChartStaysOpenWithItsFocus() {
        color();
        browser.script("const table = document.querySelector('#lag-table'); table.dataset.old = true;"
                + " table.open = true; table.firstElementChild.focus()");

        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> Boolean.TRUE.equals(
                        browser.script("return !document.querySelector('#lag-table').dataset.old")));
        assertThat(browser.script("const table = document.querySelector('#lag-table');"
                        + " return table.open && table.firstElementChild === document.activeElement"))
                .isEqualTo(true);
        assertThat(browser.text("#lag-table")).contains("By minute", "default");
        browser.assertClean();
    }

    private String color() {
        browser.open("");
        return (String)
                Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> browser.script(COLOR), Objects::nonNull);
    }
}
