package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;

/** Retry of all dead letters of a group, by a browser that asks for one step a second. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class BulkTest {

    private static final DeliverySelection PUSHES = DeliverySelection.all().ofHandler("push");

    private final Browser browser;
    private final Shop shop;

    BulkTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    @Test
    void thousandDeadLettersAreRetried() {
        kill(1000);
        shop.fail("mail", "77", "421 Service not available");
        shop.publish(OutboxEvent.of("Order", "77", new Shop.OrderPlaced("a book")));
        shop.await(DeliverySelection.all().ofHandler("mail"), DeliveryStatus.OPEN, 1);
        browser.open("/failures");
        browser.screenshot("failures");
        browser.click("a[href*='handler=push']");
        assertThat(browser.find("#preview-count").getText()).isEqualTo("1,000");
        shop.correct("push", "");

        browser.type("reason", "the gateway is back");
        browser.type("rate", "400");
        browser.click("#retry-all");
        assertThat(browser.await((text) -> text.contains("of 1,000"))).containsPattern("\\d+ deliveries retried");
        browser.screenshot("progress");
        browser.await((text) -> text.contains("Finished"));

        assertThat(browser.find("#bulk-outcome").getText())
                .contains("1000 deliveries retried.")
                .doesNotContain("busy");
        shop.await(PUSHES, DeliveryStatus.DEAD, 0);
        shop.await(PUSHES, DeliveryStatus.OPEN, 0);
        assertThat(shop.operations().operations(OperationSelection.ofHandler("push"), 2000))
                .filteredOn((operation) -> operation.reason().equals("the gateway is back"))
                .hasSize(1000)
                .extracting(Operation::performedBy)
                .containsOnly("ann");
        browser.assertClean();
    }

    @Test
    void stopLeavesTheOthersDead() {
        String group = "/failures/group?handler=push&errorCode=IllegalStateException";
        kill(200);
        shop.correct("push", "");
        browser.open(group);

        browser.click("summary");
        browser.type(By.cssSelector("details input[name=rate]"), "10");
        browser.type(By.cssSelector("details input[name=reason]"), "the campaign is over");
        browser.click("#skip-all");
        browser.await((text) -> text.contains("0 deliveries skipped."));
        browser.click("#stop");
        browser.await((text) -> text.contains("Dead letters"));

        long left = deadWhenNoStepFollows();
        assertThat(left).isBetween(10L, 190L);
        assertThat(left % 10).isZero();
        browser.open(group);
        assertThat(browser.text()).contains("Dead letters " + left);
        assertThat(shop.operations().operations(OperationSelection.ofHandler("push"), 2000))
                .filteredOn((operation) -> operation.reason().equals("the campaign is over"))
                .hasSize(200 - (int) left);
        browser.assertClean();
    }

    /** Waits until the time of several steps has passed without one. */
    private long deadWhenNoStepFollows() {
        AtomicLong dead = new AtomicLong(-1);
        Awaitility.await().pollInterval(Duration.ofSeconds(3)).until(() -> {
            long before = dead.getAndSet(shop.operations().count(PUSHES.withStatus(DeliveryStatus.DEAD)));
            return before == dead.get();
        });
        return dead.get();
    }

    private void kill(int count) {
        shop.fail("push", "", "Connection refused: push.example.org:443");
        shop.publish(IntStream.range(0, count)
                .mapToObj((i) -> OutboxEvent.of("Customer", "c" + i, new Shop.PushSent("your parcel is here")))
                .toArray(OutboxEvent[]::new));
        shop.await(PUSHES, DeliveryStatus.DEAD, count);
    }
}
