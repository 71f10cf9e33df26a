package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxEvent;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OperationSelection;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.logging.LogType;

/** What an operator sees whose session has ended, and how it is ended. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class SignOutTest {

    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final Browser browser;
    private final Shop shop;

    SignOutTest(Browser browser, Shop shop) {
        this.browser = browser;
        this.shop = shop;
    }

    /** Also forgets that an earlier page reloaded itself, as the first answer to a live page does. */
    @AfterEach
    void signInAgain() {
        browser.signIn("ann");
        browser.script("sessionStorage.clear()");
        browser.driver.manage().logs().get(LogType.BROWSER);
    }

    @Test
    void livePageLeadsToTheLoginAndBack() {
        shop.askForLogin();
        browser.open("");
        browser.await("#freshness", "live");
        browser.script("""
                sessionStorage.removeItem('swapped');
                document.addEventListener('htmx:afterSwap', () => {
                  if (document.querySelector('#live [name=password]')) sessionStorage.setItem('swapped', 'yes');
                });
                """);

        browser.driver.manage().deleteAllCookies();
        awaitAddress("/shop/login");
        assertThat(browser.script("return sessionStorage.getItem('swapped')")).isNull();

        browser.type("username", "ann");
        browser.type("password", "secret");
        browser.click("button");
        awaitAddress("/shop/outbox");
        browser.await("#freshness", "live");
    }

    @Test
    void livePageThatTheApplicationStillServesSaysThatItIsSignedOut() {
        browser.open("/replays/" + shop.replay("mail"));
        browser.await("#freshness", "live");

        browser.driver.manage().deleteAllCookies();

        assertThat(browser.await((text) -> text.contains("You are signed out")))
                .contains("401", "Sign in to the application");
    }

    /** A proxy asks for a login where it does not let scripts through, although the page itself is answered. */
    @Test
    void pageThatReloadingDoesNotHelpStaysAndSaysSo() {
        browser.open("");
        browser.click("#pause");
        browser.await("#freshness", "paused");
        await().atMost(DEADLINE)
                .until(() -> browser.driver
                        .findElements(By.cssSelector(".htmx-request"))
                        .isEmpty());
        browser.script("sessionStorage.setItem('outbox-reloaded', 'yes')");
        browser.driver.manage().deleteAllCookies();

        browser.click("#pause");

        browser.await("#freshness", "signed out");
        assertThat(browser.text("#status")).contains("You are signed out.");
        assertThat(browser.text()).contains("Overview").doesNotContain("401");
    }

    @Test
    void formOfAnEndedSessionKeepsItsReasonUntilItIsSent() {
        shop.fail("push", "", "the gateway is down");
        UUID event = shop.publish(OutboxEvent.of("Order", "signed-out", new Shop.PushSent("a book")))
                .get(0);
        shop.await(DeliverySelection.delivery(event, "push"), DeliveryStatus.DEAD, 1);
        shop.askForLogin();
        browser.open("/events/" + event);
        By retry = By.cssSelector("button.retry");
        browser.type("reason", "the gateway is back, INC-78");
        browser.driver.manage().deleteAllCookies();

        browser.driver.findElement(retry).click();

        browser.await((text) -> text.contains("You are signed out, and nothing was changed."));
        assertThat(browser.find("[name=reason]").getDomProperty("value")).isEqualTo("the gateway is back, INC-78");
        String page = browser.driver.getWindowHandle();
        browser.driver.switchTo().newWindow(WindowType.TAB);
        browser.signIn("bob");
        browser.driver.close();
        browser.driver.switchTo().window(page);
        shop.correct("push", "");
        browser.click(retry);

        browser.await((text) -> text.contains("1 delivery retried."));
        assertThat(shop.operations().operations(OperationSelection.ofEvent(event), 1))
                .allSatisfy((operation) -> {
                    assertThat(operation.performedBy()).isEqualTo("bob");
                    assertThat(operation.reason()).isEqualTo("the gateway is back, INC-78");
                });
    }

    @Test
    void userWithoutAuthorityCanSignOut() {
        shop.askForLogin();
        browser.signIn("eve");
        browser.driver.get(shop.address() + "/outbox");
        assertThat(browser.text()).contains("eve lacks the authority");
        browser.screenshot("not-allowed");

        browser.click("#sign-out");

        awaitAddress("/shop/login");
        browser.driver.get(shop.address() + "/outbox");
        awaitAddress("/shop/login");
    }

    private void awaitAddress(String path) {
        await().atMost(DEADLINE)
                .until(() -> URI.create(browser.driver.getCurrentUrl()).getPath(), path::equals);
    }
}
