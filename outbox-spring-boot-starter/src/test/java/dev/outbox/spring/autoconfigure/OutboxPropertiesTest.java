package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OnDead;
import dev.outbox.internal.dispatch.DispatchSettings;
import dev.outbox.internal.dispatch.HandlerSettings;
import dev.outbox.internal.dispatch.HandlerSettings.CircuitBreaker;
import dev.outbox.internal.maintenance.RetentionSettings;
import dev.outbox.internal.payload.MissingFields;
import dev.outbox.internal.processing.PollerSettings;
import dev.outbox.internal.publish.PublisherSettings;
import dev.outbox.internal.publish.PublisherSettings.Unrouted;
import dev.outbox.internal.publish.StreamRouting;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.internal.runtime.RuntimeSettings.Polling;
import dev.outbox.retry.Backoff.Delays;
import dev.outbox.retry.Backoff.Exponential;
import dev.outbox.retry.ErrorClasses;
import dev.outbox.retry.RetryPolicy;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.env.YamlPropertySourceLoader;
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
                "outbox.retention.archive=false",
                "outbox.retention.processed-events=32d",
                "outbox.retention.idle-aggregates=400d",
                "outbox.retention.batch-size=1001",
                "outbox.publisher.max-payload-size=2KB",
                "outbox.publisher.unrouted=fail",
                "outbox.payload.missing-fields=fail",
                "outbox.registry.expire-after=8d");

        assertThat(settings.schemas().outbox().name()).isEqualTo("shop");
        assertThat(settings.schemas().archive().name()).isEqualTo("shop_archive");
        assertThat(settings.polling().enabled()).isFalse();
        assertThat(settings.polling().notifications()).isFalse();
        assertThat(settings.polling().streams())
                .isEqualTo(Map.of("default", new PollerSettings(seconds(3), 51, 4, seconds(61), seconds(21))));
        assertThat(settings.polling().expireAfter()).isEqualTo(Duration.ofDays(8));
        assertThat(settings.dispatch().retry().defaults().policy())
                .isEqualTo(new RetryPolicy(new Delays(List.of(seconds(1), seconds(2))), 4));
        assertThat(settings.retention())
                .isEqualTo(new RetentionSettings(
                        Duration.ofDays(31), false, Duration.ofDays(32), Duration.ofDays(400), 1001));
        assertThat(settings.publisher()).isEqualTo(new PublisherSettings(2048, Unrouted.FAIL));
        assertThat(settings.dispatch().missingFields()).isEqualTo(MissingFields.FAIL);
    }

    @Test
    void anyExponentialKeySelectsExponentialGrowth() {
        assertThat(retry("outbox.retry.multiplier=3"))
                .isEqualTo(new RetryPolicy(new Exponential(seconds(1), 3, Duration.ofMinutes(5), 0.2), 10));
        assertThat(retry(
                        "outbox.retry.initial=2s",
                        "outbox.retry.multiplier=1.5",
                        "outbox.retry.max=1m",
                        "outbox.retry.jitter=0"))
                .isEqualTo(new RetryPolicy(new Exponential(seconds(2), 1.5, seconds(60), 0), 10));
    }

    @Test
    void streamHasAConcurrencyOfItsOwn() {
        assertThat(settings(
                                "outbox.poller.concurrency=4",
                                "outbox.streams.mail.concurrency=8",
                                "outbox.streams.slow.lease=5m")
                        .polling()
                        .streams())
                .extractingFromEntries(
                        (stream) -> stream.getKey() + " " + stream.getValue().concurrency())
                .containsExactlyInAnyOrder("default 4", "mail 8", "slow 4");
    }

    @Test
    void handlerSaysHowItIsTreated() {
        RuntimeSettings settings = settings(
                "outbox.handlers[mail.send].timeout=30s",
                "outbox.handlers[mail.send].on-dead=block",
                "outbox.handlers[mail.send].circuit.failures=5",
                "outbox.handlers[mail.send].circuit.probe-interval=10s",
                "outbox.handlers.other.circuit.failures=3",
                "outbox.handlers.plain.retry.max-attempts=3");

        assertThat(settings.dispatch().of("mail.send"))
                .isEqualTo(new HandlerSettings(seconds(30), OnDead.BLOCK, new CircuitBreaker(5, seconds(10))));
        assertThat(settings.dispatch().of("other"))
                .isEqualTo(new HandlerSettings(null, null, new CircuitBreaker(3, seconds(30))));
        assertThat(settings.dispatch().of("plain")).isEqualTo(HandlerSettings.NONE);
        assertThat(settings.dispatch().of("unknown")).isEqualTo(HandlerSettings.NONE);
    }

    @Test
    void streamOverridesOnlyWhatItNames() {
        RuntimeSettings settings = settings(
                "outbox.poller.batch-size=10",
                "outbox.retry.initial=2s",
                "outbox.retry.max-attempts=4",
                "outbox.streams.mail.lease=5m",
                "outbox.streams.mail.retry.max=30s",
                "outbox.streams.slow.retry.delays=1h",
                "outbox.streams.default.interval=1s");

        assertThat(settings.polling().streams())
                .containsOnlyKeys("default", "mail", "slow")
                .containsEntry("default", new PollerSettings(seconds(1), 10, seconds(60), seconds(20)))
                .containsEntry("mail", new PollerSettings(seconds(2), 10, Duration.ofMinutes(5), seconds(20)));
        assertThat(settings.dispatch().retry().of("mail", "any"))
                .isEqualTo(new RetryPolicy(new Exponential(seconds(2), 2, seconds(30), 0.2), 4));
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
        assertThat(ConfiguredSettings.of(yaml("outbox: { poller: { streams: [] } }"))
                        .polling()
                        .polled())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void unknownStreamToPollIsReportedWithItsProperty(boolean enabled) {
        assertThatThrownBy(() -> settings(
                        "outbox.streams.mail.batch-size=1",
                        "outbox.poller.enabled=" + enabled,
                        "outbox.poller.streams=mail, mial"))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
                    assertThat(ex.getName()).isEqualTo("outbox.poller.streams");
                    assertThat(String.valueOf(ex.getValue())).contains("mial");
                    assertThat(ex.getReason()).contains("[default, mail]", "outbox.streams");
                });
    }

    @Test
    void streamTakesTheEventAndAggregateTypesThatItNames() {
        PublisherSettings publisher = settings(
                        "outbox.streams.mail.aggregate-types=notice, reminder",
                        "outbox.streams.trade.event-types=OrderPlaced, OrderPaid",
                        "outbox.streams[shop.audit].event-types[0]=OrderAudited",
                        "outbox.streams.default.aggregate-types=order")
                .publisher();

        assertThat(publisher.routing())
                .isEqualTo(new StreamRouting(
                        Map.of("OrderPlaced", "trade", "OrderPaid", "trade", "OrderAudited", "shop.audit"),
                        Map.of("notice", "mail", "reminder", "mail", "order", "default")));
    }

    @ParameterizedTest
    @CsvSource({"event-types,OrderPaid", "aggregate-types,order"})
    void typeThatTwoStreamsTakeIsReportedWithItsProperty(String key, String type) {
        assertThatThrownBy(() ->
                        settings("outbox.streams.mail." + key + "=" + type, "outbox.streams[a.b]." + key + "=" + type))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
                    assertThat(ex.getName()).isEqualTo("outbox.streams.mail." + key);
                    assertThat(ex.getValue()).isEqualTo(type);
                    assertThat(ex.getReason()).contains("stream 'mail' must not hold what stream 'a.b' takes");
                });
    }

    @Test
    void crashesAreCappedOnEveryLevel() {
        RuntimeSettings settings = settings(
                "outbox.retry.max-crashes=5",
                "outbox.streams.mail.retry.max-crashes=4",
                "outbox.handlers.push.retry.max-crashes=3");

        assertThat(settings.dispatch().retry().of("default", "any").maxCrashes())
                .isEqualTo(5);
        assertThat(settings.dispatch().retry().of("mail", "any").maxCrashes()).isEqualTo(4);
        assertThat(settings.dispatch().retry().of("mail", "push").maxCrashes()).isEqualTo(3);
    }

    @Test
    void handlerIdWithDotsStandsInBrackets() {
        RuntimeSettings settings = settings(
                "outbox.handlers[licensing.extend].retry.max-attempts=3", "outbox.handlers.mail.retry.delays=1s");

        assertThat(settings.dispatch().retry().of("default", "licensing.extend"))
                .isEqualTo(new RetryPolicy(RetryPolicy.defaults().backoff(), 3));
        assertThat(settings.dispatch().retry().of("default", "mail").backoff())
                .isEqualTo(new Delays(List.of(seconds(1))));
    }

    @Test
    void handlerOverridesItsStreamWhichOverridesTheDefault() {
        RuntimeSettings settings = settings(
                "outbox.retry.max-attempts=4",
                "outbox.streams.mail.retry.initial=2s",
                "outbox.streams.mail.retry.max-attempts=5",
                "outbox.handlers.push.retry.max=30s",
                "outbox.handlers.log.retry.max-attempts=6");

        assertThat(settings.dispatch().retry().of("mail", "push"))
                .isEqualTo(new RetryPolicy(new Exponential(seconds(2), 2, seconds(30), 0.2), 5));
        assertThat(settings.dispatch().retry().of("default", "push"))
                .isEqualTo(new RetryPolicy(new Exponential(seconds(1), 2, seconds(30), 0.2), 4));
        assertThat(settings.dispatch().retry().of("mail", "log"))
                .isEqualTo(new RetryPolicy(new Exponential(seconds(2), 2, Duration.ofMinutes(5), 0.2), 6));
        assertThat(settings.dispatch().retry().of("mail", "any").maxAttempts()).isEqualTo(5);
    }

    @Test
    void listOfExceptionsReplacesThatOfTheLevelAbove() {
        RuntimeSettings settings = settings(
                "outbox.retry.non-retryable=java.io.IOException, java.lang.IllegalArgumentException",
                "outbox.retry.retryable=java.net.SocketException",
                "outbox.streams.mail.retry.non-retryable=java.lang.Error",
                "outbox.handlers.push.retry.retryable=java.io.FileNotFoundException",
                "outbox.handlers.log.retry.non-retryable=");

        ErrorClasses defaults = new ErrorClasses(
                Set.of(SocketException.class), Set.of(IOException.class, IllegalArgumentException.class));
        assertThat(settings.dispatch().retry().of("default", "any").errors()).isEqualTo(defaults);
        assertThat(settings.dispatch().retry().of("mail", "any").errors())
                .isEqualTo(new ErrorClasses(Set.of(SocketException.class), Set.of(Error.class)));
        assertThat(settings.dispatch().retry().of("mail", "push").errors())
                .isEqualTo(new ErrorClasses(Set.of(FileNotFoundException.class), Set.of(Error.class)));
        assertThat(settings.dispatch().retry().of("default", "log").errors())
                .isEqualTo(new ErrorClasses(Set.of(SocketException.class), Set.of()));
    }

    @Test
    void exceptionInsideAnotherClassIsNamedWithADotOrADollar() {
        for (String name : List.of(Nested.class.getName(), Nested.class.getCanonicalName())) {
            assertThat(retry("outbox.retry.non-retryable=" + name).errors().nonRetryable())
                    .containsExactly(Nested.class);
        }
    }

    @Test
    void exceptionThatALevelListsLeavesTheOtherListOfTheLevelAbove() {
        RuntimeSettings settings = settings(
                "outbox.retry.non-retryable=java.io.IOException, java.lang.Error",
                "outbox.streams.mail.retry.retryable=java.io.IOException",
                "outbox.handlers.push.retry.non-retryable=java.io.IOException");

        assertThat(settings.dispatch().retry().of("mail", "any").errors())
                .isEqualTo(new ErrorClasses(Set.of(IOException.class), Set.of(Error.class)));
        assertThat(settings.dispatch().retry().of("mail", "push").errors())
                .isEqualTo(new ErrorClasses(Set.of(), Set.of(IOException.class)));
    }

    @ParameterizedTest
    @CsvSource({"outbox.retry", "outbox.streams.mail.retry", "outbox.handlers[a.b].retry"})
    void exceptionInBothListsOfOneLevelIsReportedWithItsProperty(String prefix) {
        assertThatThrownBy(() -> settings(
                        prefix + ".retryable=java.io.IOException", prefix + ".non-retryable=java.io.IOException"))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
                    assertThat(ex.getName()).isEqualTo(prefix + ".non-retryable");
                    assertThat(ex.getReason()).contains("what retryable holds", "java.io.IOException");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.retry.retryable",
        "outbox.retry.non-retryable",
        "outbox.streams.mail.retry.non-retryable",
        "outbox.handlers[a.b].retry.retryable"
    })
    void exceptionThatDoesNotExistIsReportedWithItsProperty(String property) {
        assertThatThrownBy(() -> settings(property + "=java.io.IOExeption"))
                .isInstanceOf(BindException.class)
                .hasMessageContaining(property)
                .rootCause()
                .hasMessageContaining("java.io.IOExeption");
    }

    @Test
    void configurationMaySayWhatHappensBehindDeadEvents() {
        DispatchSettings settings = settings(
                        "outbox.handlers[billing.ledger].on-dead=block",
                        "outbox.handlers.mail.on-dead=continue",
                        "outbox.handlers.audit.retry.max-attempts=3")
                .dispatch();

        assertThat(settings.of("billing.ledger").onDead()).isEqualTo(OnDead.BLOCK);
        assertThat(settings.of("mail").onDead()).isEqualTo(OnDead.CONTINUE);
        assertThat(settings.of("audit").onDead()).isNull();
    }

    @Test
    void handlerIdWithDotsStandsInBracketsInYaml() throws Exception {
        OutboxProperties properties = yaml("""
                outbox:
                  handlers:
                    "[licensing.extend]":
                      retry:
                        max-attempts: 3
                    mail:
                      retry:
                        delays: 1s, 2s
                """);

        assertThat(properties.handlers()).containsOnlyKeys("licensing.extend", "mail");
    }

    @Test
    void streamIsThereOnceItIsNamed() throws Exception {
        assertThat(yaml("""
                outbox:
                  streams:
                    mail:
                      batch-size: 10
                    trade: {}
                """).streams()).containsOnlyKeys("mail", "trade");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    outbox.schema                     | pg_events | not a usable schema name
                    outbox.schema                     | ev-ents   | not a usable schema name
                    outbox.retention.archive-schema   | 1         | not a usable schema name
                    outbox.poller.interval            | 0s        | must be positive
                    outbox.poller.batch-size          | 0         | must lie between
                    outbox.poller.lease               | 10ms      | must be at least
                    outbox.poller.shutdown-timeout    | -1s       | must not be negative
                    outbox.retry.max-attempts         | 0         | must be at least 1
                    outbox.retry.max-crashes          | 0         | must be at least 2
                    outbox.streams.mail.retry.max-crashes | 0     | must be at least 2
                    outbox.handlers[a.b].retry.max-crashes | 0    | must be at least 2
                    outbox.retry.multiplier           | 0.5       | must be at least 1
                    outbox.retry.jitter               | 2         | must lie between
                    outbox.retry.initial              | -1s       | must lie between
                    outbox.retry.max                  | -1s       | must lie between
                    outbox.retry.delays               | 1s,-1s    | must lie between
                    outbox.retry.non-retryable        | java.lang.String | none but exceptions
                    outbox.retry.retryable            | java.lang.String | none but exceptions
                    outbox.streams.mail.batch-size    | 0         | must lie between
                    outbox.streams.mail.event-types   | a-type    | must be PascalCase
                    outbox.streams.mail.retry.jitter  | 2         | must lie between
                    outbox.handlers[a.b].retry.jitter | 2         | must lie between
                    outbox.retention.published        | -1d       | must not be negative
                    outbox.retention.processed-events | -1d       | must not be negative
                    outbox.retention.batch-size       | 0         | must be at least 1
                    outbox.publisher.max-payload-size | 1B        | must be at least 2
                    outbox.publisher.max-payload-size | 3GB       | overflow
                    """)
    void invalidValueIsReportedWithItsProperty(String property, String value, String reason) {
        assertThatThrownBy(() -> settings(property + "=" + value))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
                    assertThat(ex.getName()).isEqualTo(property);
                    assertThat(ex.getReason()).contains(reason);
                });
    }

    @ParameterizedTest
    @CsvSource({"outbox.retry", "outbox.streams.mail.retry", "outbox.handlers[a.b].retry"})
    void delaysAndExponentialGrowthExcludeEachOther(String prefix) {
        assertThatThrownBy(() -> settings(prefix + ".delays=1s", prefix + ".max=1m"))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                .hasMessageContaining(prefix + ".delays")
                .hasMessageContaining("choose one kind of retry");
    }

    @ParameterizedTest
    @CsvSource({"often", "0 0 0 30 2 *"})
    void cronExpressionThatIsUselessIsReportedWithItsProperty(String cron) {
        assertThatThrownBy(() -> RetentionSchedule.of(cron, ZoneOffset.UTC, Clock.systemUTC()))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                .hasMessageContaining("outbox.retention.cron");
    }

    @Test
    void valueOfTheWrongKindIsReportedWithItsProperty() {
        assertThatThrownBy(() -> settings("outbox.publisher.unrouted=maybe"))
                .isInstanceOf(BindException.class)
                .hasMessageContaining("outbox.publisher.unrouted");
    }

    static final class Nested extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static RetryPolicy retry(String... properties) {
        return settings(properties).dispatch().retry().defaults().policy();
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

    private static RuntimeSettings settings(String... properties) {
        Map<String, Object> map = new HashMap<>();
        for (String property : properties) {
            String[] parts = property.split("=", 2);
            map.put(parts[0], parts[1]);
        }
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new org.springframework.core.env.MapPropertySource("test", map));
        return ConfiguredSettings.of(Binder.get(environment).bindOrCreate("outbox", OutboxProperties.class));
    }
}
