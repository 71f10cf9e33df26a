package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.testing.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertiesTest {

    private static final String UNKNOWN = "is unknown and has no effect";

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void typoIsReportedWithNearestNameAndPlace(CapturedOutput output) {
        withYaml("""
                outbox:
                  poller:
                    batchsze: 10
                  handler:
                    licensing.extend:
                      timeout: 5s
                  handlers:
                    "[licensing.extend]":
                      retry:
                        max-attemps: 3
                  nothing-like-it: true
                """)
                .run((context) -> assertThat(output)
                        .contains("Property outbox.poller.batchsze " + UNKNOWN
                                + "; did you mean outbox.poller.batch-size? (")
                        .contains("application.yaml")
                        .contains("did you mean outbox.handlers[licensing.extend].timeout?")
                        .contains("did you mean outbox.handlers[licensing.extend].retry.max-attempts?")
                        .contains("Property outbox.nothing-like-it " + UNKNOWN)
                        .doesNotContain("outbox.handlers configures"));
    }

    @Test
    void unquotedBracesOfYamlAreReported(CapturedOutput output) {
        withYaml("""
                outbox:
                  poller:
                    streams: {default}
                  handlers:
                    mail:
                      timeout: {long}
                """)
                .run((context) -> assertThat(output)
                        .contains("Property outbox.poller.streams.default " + UNKNOWN)
                        .contains("Property outbox.handlers.mail.timeout.long " + UNKNOWN));
    }

    @Test
    void propertiesOfAllModulesRaiseNoAlarm(CapturedOutput output) {
        // Local, so that no metadata is written for it.
        @ConfigurationProperties("outbox.console")
        class Console {}

        withYaml("""
                outbox:
                  enabled: true
                  poller:
                    notify: false
                    batchSize: 20
                    streams: [default, mail]
                  retry:
                    delays: [1s, 2s]
                  streams:
                    trade: {}
                    mail:
                      aggregate-types:
                        - A
                        - B
                      retry:
                        max_attempts: 4
                  handlers:
                    "[licensing.extend]":
                      circuit:
                        failures: 3
                  console:
                    path: /outbox
                """)
                .withBean(Console.class, Console::new)
                .run((context) -> assertThat(output).doesNotContain(UNKNOWN).doesNotContain("configures"));
    }

    @Test
    void environmentVariablesRaiseNoFalseAlarm(CapturedOutput output) {
        withVariables(Map.of(
                        "OUTBOX_POLLER_BATCHSIZE", "20",
                        "OUTBOX_POLLER_SHUTDOWN_TIMEOUT", "3s",
                        "OUTBOX_STREAMS_MAIL_BATCH_SIZE", "7",
                        "OUTBOX_SERVICE_HOST", "10.0.0.1",
                        "OUTBOX_PORT_8080_TCP", "tcp://10.0.0.1:8080",
                        "OUTBOX_HOME", "/opt/outbox",
                        "OUTBOX_POLLER_INTERVALL", "1s"))
                .run((context) -> {
                    assertThat(output)
                            .containsOnlyOnce(UNKNOWN)
                            .contains("Property outbox.poller.intervall is unknown and has no effect; did you mean"
                                    + " outbox.poller.interval?");
                    RuntimeSettings settings = context.getBean(RuntimeSettings.class);
                    assertThat(settings.polling().streams().get("mail").batchSize())
                            .isEqualTo(7);
                    assertThat(settings.polling().streams().get("mail").shutdownTimeout())
                            .isEqualTo(Duration.ofSeconds(3));
                });
    }

    @Test
    void idWithDotsButWithoutBracketsIsReported(CapturedOutput output) {
        withYaml("""
                outbox:
                  handlers:
                    licensing.extend:
                      timeout: 5s
                  streams:
                    mail.eu:
                      batch-size: 3
                """)
                .run((context) -> assertThat(output)
                        .contains("Property outbox.handlers.licensing.extend.timeout " + UNKNOWN
                                + "; did you mean outbox.handlers[licensing.extend].timeout?")
                        .contains("Property outbox.streams.mail.eu.batch-size " + UNKNOWN
                                + "; did you mean outbox.streams[mail.eu].batch-size?"));
    }

    @Test
    void settingOfAStreamAtAHandlerLeadsToThePoller(CapturedOutput output) {
        withYaml("""
                outbox:
                  handlers:
                    mail:
                      concurrency: 4
                    "[licensing.extend]":
                      batch-size: 3
                """)
                .run((context) -> assertThat(output)
                        .contains(
                                "Property outbox.handlers.mail.concurrency " + UNKNOWN
                                        + "; streams have such a setting, not handlers: did you mean outbox.poller.concurrency?")
                        .contains("did you mean outbox.poller.batch-size?")
                        .doesNotContain("outbox.streams"));
    }

    @Test
    void settingOfThePollerAloneAtAHandlerGetsNoAdvice(CapturedOutput output) {
        withYaml("""
                outbox:
                  handlers:
                    mail:
                      enabled: false
                """)
                .run((context) -> assertThat(output)
                        .contains("Property outbox.handlers.mail.enabled " + UNKNOWN + " (")
                        .doesNotContain("did you mean"));
    }

    @Test
    void classesOfTheApplicationRaiseNoAlarm(CapturedOutput output) {
        record Target(String url) {}

        record Route(Map<String, Target> targets) {}

        @ConfigurationProperties("outbox.mine")
        record Mine(Map<String, Route> routes, @Nullable Mine next) {}

        @EnableConfigurationProperties(Mine.class)
        record Configuration() {}

        withYaml("""
                outbox:
                  poller:
                    batchsze: 10
                  mine:
                    routes:
                      orders:
                        targets:
                          first:
                            url: https://example.com
                    next:
                      next:
                        routes: {}
                """)
                .withUserConfiguration(Configuration.class)
                .run((context) -> assertThat(output)
                        .containsOnlyOnce(UNKNOWN)
                        .contains("did you mean outbox.poller.batch-size?"));
    }

    @Test
    void classOfTheApplicationAtTheRootRaisesNoAlarm(CapturedOutput output) {
        @ConfigurationProperties("outbox")
        class Mine {

            private @Nullable String tenant;

            @SuppressWarnings("unused") // the binder calls it
            public void setTenant(String tenant) {
                this.tenant = tenant;
            }
        }

        withYaml("""
                outbox:
                  tenant: acme
                """).withBean(Mine.class, Mine::new).run((context) -> {
            assertThat(context.getBean(Mine.class).tenant).isEqualTo("acme");
            assertThat(output).doesNotContain(UNKNOWN);
        });
    }

    @Test
    void propertiesOfAnAbsentModuleNameIt(CapturedOutput output) {
        withYaml("""
                outbox:
                  console:
                    enabled: true
                    path: /outbox
                  kafka:
                    routes:
                      orders:
                        topic: orders
                  rabbit:
                    routes:
                      orders:
                        exchange: orders
                  channel:
                    routes:
                      orders:
                        channel: orders
                  forwarding:
                    source: /shop
                """)
                .run((context) -> assertThat(output)
                        .containsOnlyOnce("Property outbox.console.enabled has no effect without its module: add"
                                + " dev.outbox:outbox-console (")
                        .containsOnlyOnce(
                                "Property outbox.kafka.routes.orders.topic has no effect without its module: add"
                                        + " dev.outbox:outbox-kafka (")
                        .containsOnlyOnce(
                                "Property outbox.rabbit.routes.orders.exchange has no effect without its module: add"
                                        + " dev.outbox:outbox-messaging (")
                        .containsOnlyOnce(
                                "Property outbox.channel.routes.orders.channel has no effect without its module: add"
                                        + " dev.outbox:outbox-messaging (")
                        .containsOnlyOnce("Property outbox.forwarding.source has no effect without its module: add"
                                + " dev.outbox:outbox-forwarding (")
                        .doesNotContain(UNKNOWN));
    }

    @Test
    void variablesOfAServiceWithTheNameOfAModuleRaiseNoAlarm(CapturedOutput output) {
        withVariables(Map.of("OUTBOX_KAFKA_SERVICE_HOST", "10.0.0.1"))
                .run((context) -> assertThat(output).doesNotContain("outbox.kafka"));
    }

    private ApplicationContextRunner application() {
        return Applications.withSubscriptionsOn(database);
    }

    private ApplicationContextRunner withYaml(String yaml) {
        return application().withInitializer((context) -> {
            try {
                ByteArrayResource file =
                        new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8), "application.yaml");
                new YamlPropertySourceLoader()
                        .load("application.yaml", file)
                        .forEach(context.getEnvironment().getPropertySources()::addLast);
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        });
    }

    private ApplicationContextRunner withVariables(Map<String, Object> variables) {
        return application()
                .withInitializer((context) -> context.getEnvironment()
                        .getPropertySources()
                        .replace(
                                "systemEnvironment",
                                new SystemEnvironmentPropertySource("systemEnvironment", variables)));
    }
}
