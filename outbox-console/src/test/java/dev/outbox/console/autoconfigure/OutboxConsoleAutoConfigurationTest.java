package dev.outbox.console.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.ApplicationContextAssertProvider;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.servlet.DispatcherServlet;

/** Which applications serve the console, and what the others report. */
@ExtendWith(OutputCaptureExtension.class)
class OutboxConsoleAutoConfigurationTest {

    private static final String ENABLED = "outbox.console.enabled=true";
    private static final String INSECURE = "outbox.console.insecure=true";

    private final WebApplicationContextRunner servlet = configured(new WebApplicationContextRunner());

    private static <R extends AbstractApplicationContextRunner<R, ?, ?>> R configured(R runner) {
        return runner.withUserConfiguration(Outbox.class)
                .withConfiguration(AutoConfigurations.of(OutboxConsoleAutoConfiguration.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Outbox {

        @Bean
        OutboxInspector inspector() {
            return mock();
        }

        @Bean
        OutboxOperations operations() {
            return mock();
        }

        @Bean
        Replays replays() {
            return mock();
        }

        @Bean
        ScheduledEvents scheduledEvents() {
            return mock();
        }
    }

    @Test
    void disabledConsoleIsOnlyProperties(CapturedOutput output) {
        servlet.run((context) -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean("outboxConsole")
                .hasSingleBean(OutboxConsoleProperties.class));
        configured(new ReactiveWebApplicationContextRunner())
                .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("outboxConsole"));
        configured(new ApplicationContextRunner())
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.web", "org.springframework.security", "jakarta.servlet"))
                .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("outboxConsole"));
        assertThat(output).doesNotContain("outbox.console");
    }

    @Test
    void applicationWithoutFilterChainFails() {
        FailureAnalysis failure = failure(servlet.withPropertyValues(ENABLED));
        assertThat(failure.getDescription()).contains("no SecurityFilterChain");
        assertThat(failure.getAction()).contains("spring-boot-starter-security", "outbox.console.insecure");
    }

    @Test
    void applicationWithoutSpringSecurityFails() {
        assertThat(failure(servlet.withPropertyValues(ENABLED)
                                .withClassLoader(new FilteredClassLoader("org.springframework.security")))
                        .getDescription())
                .contains("no Spring Security protects the console");
    }

    @Test
    void securedApplicationServesConsole(CapturedOutput output) {
        servlet.withPropertyValues(ENABLED)
                .withBean(SecurityFilterChain.class, () -> mock())
                .run((context) -> assertThat(context).hasNotFailed().hasBean("outboxConsole"));
        assertThat(output).doesNotContain("insecure");
    }

    @Test
    void insecureApplicationServesConsoleWithWarning(CapturedOutput output) {
        servlet.withPropertyValues(ENABLED, INSECURE, "outbox.console.path=/ops/outbox")
                .withClassLoader(new FilteredClassLoader("org.springframework.security"))
                .run((context) -> assertThat(context).hasNotFailed().hasBean("outboxConsole"));
        assertThat(output).contains("outbox.console.insecure is true: each client that reaches /ops/outbox");
    }

    /** A page can forge what a proxy forwards, but not the name that the browser called. */
    @Test
    void insecureConsoleTrustsNoForwardedName() {
        new WebApplicationContextRunner(AnnotationConfigServletWebServerApplicationContext::new)
                .withUserConfiguration(Outbox.class)
                .withConfiguration(AutoConfigurations.of(
                        TomcatServletWebServerAutoConfiguration.class,
                        DispatcherServletAutoConfiguration.class,
                        WebMvcAutoConfiguration.class,
                        OutboxConsoleAutoConfiguration.class))
                .withPropertyValues(ENABLED, INSECURE, "server.port=0", "server.forward-headers-strategy=native")
                .run((context) -> {
                    int port = context.getSourceApplicationContext(
                                    AnnotationConfigServletWebServerApplicationContext.class)
                            .getWebServer()
                            .getPort();
                    assertThat(status(port, "localhost", "localhost")).contains(" 200 ");
                    assertThat(status(port, "evil.example", "evil.example")).contains(" 403 ");
                    assertThat(status(port, "evil.example", "localhost")).contains(" 403 ");
                    assertThat(status(port, "localhost", "evil.example")).contains(" 403 ");
                });
    }

    /** Asks for a page with any name of the host, which no HTTP client does. */
    private static String status(int port, String host, String forwarded) throws IOException {
        try (Socket socket = new Socket("localhost", port)) {
            socket.getOutputStream()
                    .write(("GET /outbox/scheduled HTTP/1.1\r\nHost: " + host + "\r\nX-Forwarded-Host: " + forwarded
                                    + "\r\nX-Forwarded-For: 127.0.0.1\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
        }
    }

    @Test
    void lazyApplicationFailsAtStartToo() {
        servlet.withPropertyValues(ENABLED, "spring.main.lazy-initialization=true")
                .withInitializer((context) -> context.addBeanFactoryPostProcessor(
                        new org.springframework.boot.LazyInitializationBeanFactoryPostProcessor()))
                .run((context) -> assertThat(context).hasFailed());
    }

    @Test
    void applicationWithoutSpringMvcFails() {
        FailureAnalysis failure =
                failure(configured(new ReactiveWebApplicationContextRunner()).withPropertyValues(ENABLED, INSECURE));
        assertThat(failure.getDescription()).contains("does not use Spring MVC");
        assertThat(failure.getAction()).contains("spring-boot-starter-webmvc");
        assertThat(failure(servlet.withPropertyValues(ENABLED, INSECURE)
                                .withClassLoader(new FilteredClassLoader(DispatcherServlet.class)))
                        .getDescription())
                .contains("does not use Spring MVC");
    }

    @Test
    void applicationWithoutOperationsFails() {
        assertThat(failure(new WebApplicationContextRunner()
                                .withConfiguration(AutoConfigurations.of(OutboxConsoleAutoConfiguration.class))
                                .withPropertyValues(ENABLED)
                                .withClassLoader(new FilteredClassLoader("dev.outbox.operations")))
                        .getAction())
                .contains("dev.outbox:outbox-operations");
    }

    @Test
    void applicationWithoutOutboxStartsWithoutConsole() {
        AutoConfigurations console = AutoConfigurations.of(OutboxConsoleAutoConfiguration.class);
        new WebApplicationContextRunner()
                .withConfiguration(console)
                .withPropertyValues(ENABLED)
                .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("outboxConsole"));
        new WebApplicationContextRunner()
                .withConfiguration(console)
                .withPropertyValues(ENABLED)
                .withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
                .run((context) -> assertThat(context).hasNotFailed());
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(console)
                .withPropertyValues(ENABLED)
                .run((context) -> assertThat(context).hasNotFailed());
    }

    @Test
    void applicationWithoutWebOnlyWarns(CapturedOutput output) {
        configured(new ApplicationContextRunner())
                .withPropertyValues(ENABLED)
                .withClassLoader(new FilteredClassLoader("org.springframework.web", "jakarta.servlet"))
                .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("outboxConsole"));
        assertThat(output).containsOnlyOnce("this is no web application: the console is not served");
    }

    @ParameterizedTest
    @ValueSource(strings = {"outbox", "/outbox/", "/", "/out**", ""})
    void pathThatIsNoneFails(String path) {
        assertThat(failure(servlet.withPropertyValues(ENABLED, INSECURE, "outbox.console.path=" + path))
                        .getDescription())
                .contains("outbox.console.path is '" + path + "'");
    }

    /** Starts an application, which must fail, and returns the analysis that Spring Boot would print. */
    private static <
                    R extends AbstractApplicationContextRunner<R, C, A>,
                    C extends ConfigurableApplicationContext,
                    A extends ApplicationContextAssertProvider<C>>
            FailureAnalysis failure(R application) {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        application.run((context) -> failure.set(context.getStartupFailure()));
        assertThat(failure.get()).isNotNull();
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        ArgumentResolver.of(BeanFactory.class, mock()).and(Environment.class, mock()),
                        (type, name, ex) -> {})
                .stream()
                .map((analyzer) -> analyzer.analyze(failure.get()))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
    }
}
