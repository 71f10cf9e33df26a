package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Chromium without a window, with a signed-in operator. The system properties {@code test.browser} and {@code test.browser.driver} name other binaries. */
final class Browser implements AutoCloseable {

    private static final List<String> BROWSERS =
            List.of("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome");
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final String SCREENSHOTS = System.getProperty("outbox.console.screenshots", "");

    /** Marks a page that the click leaves, and holds its content still, as the click itself does. */
    private static final String BEFORE_CLICK = """
            document.dispatchEvent(new Event('pointerdown'));
            window.clickedByTest = !!arguments[0].closest('a[href], button:not([type=button])');
            return window.clickedByTest;
            """;

    private static final String NEXT_PAGE = "return !window.clickedByTest && document.readyState === 'complete'";

    final ChromeDriver driver;
    private final String application;

    /** The user of the console's pages, which the login page does not name. */
    private String user = "";

    Browser(String application) {
        this.application = application;
        File binary = binary("test.browser", BROWSERS).orElseThrow();
        File driverBinary =
                binary("test.browser.driver", List.of("chromedriver")).orElseThrow();
        System.out.println("Browser: " + binary + ", " + driverBinary);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(binary);
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--force-device-scale-factor=1");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        driver = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(driverBinary)
                        .build(),
                options);
        driver.manage().window().setSize(new Dimension(1280, 820));
        signIn("ann");
    }

    /** What is not installed, if the browser cannot start. */
    static Optional<String> missing() {
        if (binary("test.browser", BROWSERS).isEmpty()) {
            return Optional.of("none of " + BROWSERS + " is on the PATH");
        }
        return binary("test.browser.driver", List.of("chromedriver")).isEmpty()
                ? Optional.of("chromedriver is not on the PATH")
                : Optional.empty();
    }

    private static Optional<File> binary(String property, List<String> names) {
        String named = System.getProperty(property);
        if (named != null) {
            return Optional.of(new File(named)).filter(File::canExecute);
        }
        return names.stream()
                .flatMap((name) -> Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .map((folder) -> new File(folder, name)))
                .filter(File::canExecute)
                .findFirst();
    }

    void signIn(String user) {
        leave();
        driver.manage().deleteAllCookies();
        driver.get(application + "/login");
        type("username", user);
        type("password", "secret");
        click("button");
        this.user = user;
    }

    /** Forgets what earlier tests logged and chose. */
    void startOver() {
        scheme("light");
        driver.manage().logs().get(LogType.BROWSER);
    }

    /** Opens a page of the console for the signed-in user, again if a busy machine did not count in time. */
    void open(String page) {
        String address = home() + page;
        await().alias(address).until(() -> {
            driver.get(address);
            return driver.getCurrentUrl().equals(address)
                    && user.equals(operator())
                    && driver.findElements(By.cssSelector("main .problem .code")).stream()
                            .noneMatch((code) -> code.getText().equals("503"));
        });
    }

    /** Leaves the console, whose pages ask for news: that could overtake the next page, its cookies or its log. A style sheet does nothing. */
    private void leave() {
        driver.get(application + "/default-ui.css");
    }

    /** Returns the page of the console that is open, for {@link #open}. */
    String page() {
        return driver.getCurrentUrl().substring(home().length());
    }

    private @Nullable Object operator() {
        return script("return document.getElementById('operator')?.textContent");
    }

    private String home() {
        return application + "/outbox";
    }

    WebElement find(String selector) {
        return driver.findElement(By.cssSelector(selector));
    }

    void click(String selector) {
        click(By.cssSelector(selector));
    }

    /** Clicks on an element, again if the page renews it at the same moment, and waits for the page that a link or a form opens. */
    void click(By element) {
        boolean leaves = await().ignoreExceptionsMatching(
                        (e) -> e instanceof NoSuchElementException || e instanceof StaleElementReferenceException)
                .until(
                        () -> {
                            WebElement found = driver.findElement(element);
                            Boolean opens = (Boolean) script(BEFORE_CLICK, found);
                            found.click();
                            return opens;
                        },
                        Objects::nonNull);
        if (leaves) {
            await().ignoreExceptionsMatching(WebDriverException.class::isInstance)
                    .until(() -> Boolean.TRUE.equals(script(NEXT_PAGE)));
        }
    }

    void type(String name, String text) {
        type(By.name(name), text);
    }

    void type(By element, String text) {
        WebElement field = driver.findElement(element);
        field.clear();
        field.sendKeys(text);
    }

    String text() {
        return text("main");
    }

    String text(String selector) {
        return await(selector, (text) -> true);
    }

    /** Waits until the text of the page fulfils a condition. */
    String await(Predicate<String> condition) {
        return await("main", condition);
    }

    /** Waits until an element has a text. */
    void await(String selector, String text) {
        await(selector, text::equals);
    }

    /** Reads an element, again if the page renews it at the same moment. */
    String await(String selector, Predicate<String> condition) {
        return await().ignoreExceptionsMatching(WebDriverException.class::isInstance)
                .until(() -> find(selector).getText(), condition);
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(DEADLINE).pollDelay(Duration.ZERO);
    }

    @Nullable
    Object script(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Chooses the colours of the pages that are opened next. */
    void scheme(String name) {
        leave();
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", name))));
    }

    /**
     * The page is one of the console. No script failed, no file was missing, and nothing broke the Content-Security-Policy. The status 503 is
     * no failure: on a busy machine, the page asks again. A page with a refused form has the status 400.
     */
    void assertClean() {
        assertThat(driver.manage().logs().get(LogType.BROWSER))
                .extracting(LogEntry::getMessage)
                .filteredOn((message) -> !message.contains(" 503 ") && !message.contains(" 400 "))
                .isEmpty();
        assertThat(operator()).isEqualTo(user);
        assertThat(driver.findElements(By.cssSelector("main .problem"))).isEmpty();
    }

    static boolean takesScreenshots() {
        return !SCREENSHOTS.isEmpty();
    }

    /** Keeps a picture of the page, if the run was started to take pictures. */
    void screenshot(String name) {
        if (!takesScreenshots()) {
            return;
        }
        try {
            script("window.scrollTo(0, 0)");
            resize(Math.min(1400, (Long) script("return document.documentElement.scrollHeight")));
            Path folder = Files.createDirectories(SourceTree.ROOT.resolve(SCREENSHOTS));
            Files.write(folder.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
            resize(820);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void resize(long height) {
        long frame = (Long) script("return window.outerHeight - window.innerHeight");
        driver.manage().window().setSize(new Dimension(1280, (int) Math.max(420, height) + (int) frame));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
