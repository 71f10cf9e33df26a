package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.CircuitBreaker;
import dev.outbox.internal.dispatch.DispatchSettings.HandlerSettings;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff.Delays;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff.Exponential;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.publish.PublisherSettings;
import dev.outbox.internal.publish.PublisherSettings.StreamRouting;
import dev.outbox.internal.publish.PublisherSettings.Unrouted;
import dev.outbox.internal.retention.RetentionSettings;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.internal.runtime.RuntimeSettings.Polling;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;

class OutboxPropertiesTest {

    @Test
    void defaultsAreThoseOfTheCore() {
        assertThat(settings()).isEqualTo(RuntimeSettings.defaults());
    }

    @Test
    void everySettingIsTakenFromItsProperty() {
        RuntimeSettings settings = settings(
                "outbox.schema=shop",
                "outbox.retention.archive-schema=shop_archive",
                "outbox.poller.enabled=false",
                "outbox.poller.notify=false",
                "outbox.poller.interval=3s",
                "outbox.poller.batch-size=51",
                "outbox.poller.concurrency=4",
                "outbox.poller.lease=61s",
                "outbox.poller.shutdown-timeout=21s",
                "outbox.retry.delays=1s,2s",
                "outbox.retry.max-attempts=4",
                "outbox.retention.published=31d",
                "outbox.retention.archive=true",
                "outbox.retention.received=32d",
                "outbox.retention.archived=33d",
                "outbox.retention.dead=34d",
                "outbox.retention.operations=35d",
                "outbox.retention.replays=36d",
                "outbox.publisher.max-payload-size=2KB",
                "outbox.publisher.unrouted=fail");

        assertThat(settings.schemas().outbox().name()).isEqualTo("shop");
        assertThat(settings.schemas().archive().name()).isEqualTo("shop_archive");
        assertThat(settings.polling().enabled()).isFalse();
        assertThat(settings.polling().notifications()).isFalse();
        assertThat(settings.polling().streams())
                .isEqualTo(Map.of("default", new PollerSettings(seconds(3), 51, 4, seconds(61), seconds(21))));
        assertThat(settings.dispatch().retry().defaults().policy())
                .isEqualTo(new RetryPolicy(new Delays(List.of(seconds(1), seconds(2))), 4));
        assertThat(settings.retention())
                .isEqualTo(
                        new RetentionSettings(days(31), true, days(32), days(33), days(34), days(35), days(36), 1000));
        assertThat(settings.publisher()).isEqualTo(new PublisherSettings(2048, Unrouted.FAIL));
    }

    @Test
    void deduplicationOutlivesShortHistory() {
        assertThat(settings("outbox.retention.published=1d").retention())
                .isEqualTo(new RetentionSettings(days(1), false, days(30), 1000));
        assertThat(settings("outbox.retention.published=31d").retention())
                .isEqualTo(new RetentionSettings(days(31), false, days(31), 1000));
    }

    @Test
    void handlerSaysHowItIsTreated() {
        RuntimeSettings settings = settings(
                "outbox.handlers[mail.send].timeout=30s",
                "outbox.handlers[mail.send].circuit.failures=5",
                "outbox.handlers[mail.send].circuit.probe-interval=10s",
                "outbox.handlers.other.circuit.failures=3",
                "outbox.handlers.plain.retry.max-attempts=3");

        assertThat(settings.dispatch().of("mail.send"))
                .isEqualTo(new HandlerSettings(seconds(30), new CircuitBreaker(5, seconds(10)), null));
        assertThat(settings.dispatch().of("other"))
                .isEqualTo(new HandlerSettings(null, new CircuitBreaker(3, seconds(30)), null));
        assertThat(settings.dispatch().of("plain")).isEqualTo(new HandlerSettings(null, null, 3));
        assertThat(settings.dispatch().of("unknown")).isEqualTo(HandlerSettings.NONE);
        assertThat(settings.dispatch().timeout()).isNull();
        assertThat(settings("outbox.handler-timeout=1m").dispatch().timeout()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void instanceWithoutHandlersPollsOnlyIfItSaysSo() {
        assertThat(polling().effective(true).enabled()).isTrue();
        assertThat(polling().effective(false).enabled()).isFalse();
        assertThat(polling("outbox.poller.enabled=true").effective(false).enabled())
                .isTrue();
        assertThat(polling("outbox.poller.enabled=false").effective(true).enabled())
                .isFalse();
    }

    @Test
    void streamOverridesOnlyWhatItNames() {
        RuntimeSettings settings = settings(
                "outbox.poller.batch-size=10",
                "outbox.retry.initial-delay=2s",
                "outbox.retry.max-attempts=4",
                "outbox.streams.mail.lease=5m",
                "outbox.streams.mail.concurrency=8",
                "outbox.streams.mail.retry.max-delay=30s",
                "outbox.streams.slow.retry.delays=1h",
                "outbox.streams.default.interval=1s");

        assertThat(settings.polling().streams())
                .containsOnlyKeys("default", "mail", "slow")
                .containsEntry("default", new PollerSettings(seconds(1), 10, seconds(60), seconds(20)))
                .containsEntry("mail", new PollerSettings(seconds(2), 10, 8, Duration.ofMinutes(5), seconds(20)));
        assertThat(settings.dispatch().retry().of("mail", "any"))
                .isEqualTo(new RetryPolicy(new Exponential(seconds(2), seconds(30)), 4));
        assertThat(settings.dispatch().retry().of("slow", "any"))
                .isEqualTo(new RetryPolicy(new Delays(List.of(Duration.ofHours(1))), 4));
        assertThat(settings.dispatch().retry().of("default", "any").maxAttempts())
                .isEqualTo(4);
    }

    @Test
    void processPollsAllConfiguredStreamsUnlessItSaysWhich() {
        assertThat(polling("outbox.streams.mail.batch-size=1").polled()).containsExactlyInAnyOrder("default", "mail");
        assertThat(polling("outbox.streams.mail.batch-size=1", "outbox.poller.streams=mail")
                        .polled())
                .containsExactly("mail");
        assertThat(polling("outbox.streams.mail.batch-size=1", "outbox.poller.streams=mail")
                        .streams())
                .containsOnlyKeys("default", "mail");
        assertThat(polling("outbox.poller.streams=default", "outbox.poller.enabled=false")
                        .polled())
                .isEmpty();
    }

    @Test
    void emptyListOfStreamsPollsNone() throws Exception {
        assertThat(polling("outbox.poller.streams=").polled()).isEmpty();
        assertThat(polling("outbox.poller.streams=").enabled()).isFalse();
        assertThat(ConfiguredSettings.of(yaml("outbox: { poller: { streams: [] } }"), new StandardEnvironment())
                        .polling()
                        .polled())
                .isEmpty();
    }

    @Test
    void streamTakesTheAggregateTypesThatItNames() {
        PublisherSettings publisher = settings(
                        "outbox.streams.mail.aggregate-types=notice, reminder",
                        "outbox.streams[shop.audit].aggregate-types[0]=account",
                        "outbox.streams.default.aggregate-types=order")
                .publisher();

        assertThat(publisher.routing())
                .isEqualTo(new StreamRouting(
                        Map.of("notice", "mail", "reminder", "mail", "account", "shop.audit", "order", "default")));
    }

    @Test
    void yamlNamesIdsInBracketsAndEmptyStreams() throws Exception {
        OutboxProperties properties = yaml("""
                outbox:
                  handlers:
                    "[licensing.extend]":
                      retry:
                        max-attempts: 3
                    mail:
                      retry:
                        delays: 1s, 2s
                  streams:
                    mail:
                      batch-size: 10
                    trade: {}
                """);

        assertThat(properties.handlers()).containsOnlyKeys("licensing.extend", "mail");
        assertThat(properties.streams()).containsOnlyKeys("mail", "trade");
    }

    private static Duration days(long days) {
        return Duration.ofDays(days);
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static Polling polling(String... properties) {
        return settings(properties).polling();
    }

    private static OutboxProperties yaml(String text) throws IOException {
        StandardEnvironment environment = new StandardEnvironment();
        new YamlPropertySourceLoader()
                .load("test", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
                .forEach(environment.getPropertySources()::addFirst);
        return Binder.get(environment).bindOrCreate("outbox", OutboxProperties.class);
    }

    static RuntimeSettings settings(String... properties) {
        Map<String, Object> map = new HashMap<>();
        for (String property : properties) {
            String[] parts = property.split("=", 2);
            map.put(parts[0], parts[1]);
        }
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", map));
        return ConfiguredSettings.of(
                Binder.get(environment).bindOrCreate("outbox", OutboxProperties.class), environment);
    }
}
