package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxEvent;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OperationSelection;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Events and sites that attack the operator. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class AttackTest {

    private static final String EVIL =
            "'\"><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";

    private static final String SKIP = "/outbox/deliveries/skip";

    private final Browser browser;
    private final Shop shop;

    AttackTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    private UUID event;

    @BeforeEach
    void attack() {
        shop.fail("billing.ledger", EVIL, "Bad order: " + EVIL);
        event = shop.publish(OutboxEvent.of("Order", EVIL, new Shop.OrderPlaced(EVIL))
                        .withHeader("tenant", EVIL)
                        .withHeader("traceId", EVIL))
                .get(0);
        shop.await(DeliverySelection.delivery(event, "billing.ledger"), DeliveryStatus.DEAD, 1);
    }

    @Test
    void hostileTextsAreShownAsText() {
        String id = URLEncoder.encode(EVIL, StandardCharsets.UTF_8);
        shop.operations().retry(DeliverySelection.delivery(event, "billing.ledger"), EVIL, EVIL);
        shop.await(DeliverySelection.delivery(event, "billing.ledger"), DeliveryStatus.DEAD, 1);
        for (String page : List.of(
                "",
                "/failures",
                "/failures/group?handler=billing.ledger&errorCode=IllegalStateException",
                "/events/" + event,
                "/lanes?type=Order&id=" + id,
                "/search?aggregateType=Order&aggregateId=" + id + "&trace=" + id,
                "/operations?event=" + event,
                "/operations?actor=" + id,
                "/confirm?action=pause&subject=handler&name=" + id,
                "/replays/preview?handler=mail&type=Order&id=" + id + "&reason=" + id)) {
            browser.open(page);

            // The overview may be 2 s old when it opens, and renews itself.
            await().alias(page).until(() -> shownTexts().contains("document.title="));
            assertThat(browser.driver.getTitle()).as(page).doesNotStartWith("owned");
            assertThat(browser.driver.getPageSource()).as(page).doesNotContain("<img");
            browser.assertClean();
        }
    }

    private String shownTexts() {
        return browser.driver.getPageSource()
                + browser.script("return [...document.querySelectorAll('input')].map(i => i.value).join()");
    }

    @Test
    void retryFromHostileLaneReachesItsDelivery() {
        browser.open("/events/" + event);
        shop.correct("billing.ledger", EVIL);
        browser.type("reason", EVIL);
        browser.click("button.retry");

        browser.await((text) -> text.contains("1 delivery retried."));
        assertThat(shop.operations().operations(OperationSelection.ofEvent(event), 1))
                .allSatisfy((operation) -> assertThat(operation.reason()).isEqualTo(EVIL));
        browser.assertClean();
    }

    @Test
    void onlyFormOfOperatorChangesAnything() {
        OperatorClient victim = OperatorClient.signedIn(shop.address(), "bob");
        Map<String, String> fields = fields(victim);

        assertThat(victim.get(SKIP).statusCode()).isEqualTo(404);
        assertRefused(victim.post(SKIP, fields));
        assertRefused(victim.post(SKIP, fields, "Sec-Fetch-Site", "cross-site"));
        assertRefused(victim.post(SKIP, fields, "Origin", "https://evil.test"));
        String token = fields.remove("_csrf");
        assertRefused(victim.post(SKIP, fields, "Sec-Fetch-Site", "same-origin"));

        assertThat(shop.find(DeliverySelection.delivery(event, "billing.ledger")))
                .extracting((delivery) -> delivery.state().status())
                .containsExactly(DeliveryStatus.DEAD);
        assertThat(shop.operations().operations(OperationSelection.ofEvent(event), 1))
                .isEmpty();
        fields.put("_csrf", token);
        assertThat(victim.post(SKIP, fields, "Sec-Fetch-Site", "same-origin").statusCode())
                .isEqualTo(303);
    }

    private static void assertRefused(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isEqualTo(403);
    }

    @Test
    void requestWithoutUserIsRefusedThoughApplicationPermitsIt() {
        OperatorClient stranger = new OperatorClient(shop.address());

        assertThat(stranger.get("/outbox").statusCode()).isEqualTo(401);
        assertThat(stranger.get("/outbox/events/" + event).body()).doesNotContain("OrderPlaced");
        assertThat(stranger.get("/outbox/overview/live").statusCode()).isEqualTo(401);
    }

    private Map<String, String> fields(OperatorClient operator) {
        return new HashMap<>(Map.of(
                "event",
                event.toString(),
                "handler",
                "billing.ledger",
                "reason",
                "attack",
                "_csrf",
                operator.token("/outbox/events/" + event)));
    }
}
