package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.internal.runtime.RuntimeSettings;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.StandardEnvironment;

/** Invalid values are reported with their property. */
class InvalidPropertiesTest {

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
    void typeThatTwoStreamsTakeIsReportedWithItsProperty() {
        assertThatThrownBy(() -> settings(
                        "outbox.streams.mail.aggregate-types=order", "outbox.streams[a.b].aggregate-types=order"))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
                    assertThat(ex.getName()).isEqualTo("outbox.streams.mail.aggregate-types");
                    assertThat(ex.getValue()).isEqualTo("order");
                    assertThat(ex.getReason()).contains("stream 'mail' must not hold what stream 'a.b' takes");
                });
    }

    @ParameterizedTest
    @CsvSource({"outbox.retry.non-retryable", "outbox.handlers[a.b].retry.non-retryable"})
    void exceptionThatDoesNotExistIsReportedWithItsProperty(String property) {
        assertThatThrownBy(() -> settings(property + "=java.io.IOExeption"))
                .isInstanceOf(BindException.class)
                .hasMessageContaining(property)
                .rootCause()
                .hasMessageContaining("java.io.IOExeption");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    outbox.schema                     | pg_events | not a usable schema name
                    outbox.schema                     | ev-ents   | not a usable schema name
                    outbox.schema                     | Events    | use lower-case letters, digits and underscores
                    outbox.retention.archive-schema   | 1         | not a usable schema name
                    outbox.poller.interval            | 0s        | must be positive
                    outbox.poller.batch-size          | 0         | must lie between
                    outbox.poller.lease               | 10ms      | must be at least
                    outbox.poller.shutdown-timeout    | -1s       | must not be negative
                    outbox.retry.max-attempts         | 0         | must be at least 1
                    outbox.retry.initial-delay        | -1s       | must lie between
                    outbox.retry.max-delay            | -1s       | must lie between
                    outbox.retry.delays               | 1s,-1s    | must lie between
                    outbox.retry.non-retryable        | java.lang.String | none but exceptions
                    outbox.streams.mail.batch-size    | 0         | must lie between
                    outbox.streams.mail.lease         | 10ms      | must be at least
                    outbox.streams.mail.retry.max-delay  | -1s    | must lie between
                    outbox.handlers[a.b].retry.max-delay | -1s    | must lie between
                    outbox.handler-timeout            | 0s        | must be positive
                    outbox.retention.published        | -1d       | must be positive
                    outbox.retention.published        | 0         | each run would take all published events
                    outbox.retention.published        | 0         | set outbox.retention.cron to - to keep them
                    outbox.retention.received         | 29d       | a replay delivers what is published
                    outbox.retention.dead             | 0         | must be positive
                    outbox.retention.operations       | 0         | must be positive
                    outbox.retention.replays          | -1d       | must be positive
                    outbox.retention.archived         | 0         | must be positive
                    outbox.handlers[a.b].circuit.probe-interval | 5s | it has no effect without outbox.handlers[a.b].circuit.failures
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
        assertThatThrownBy(() -> settings(prefix + ".delays=1s", prefix + ".max-delay=1m"))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                .hasMessageContaining(prefix + ".delays")
                .hasMessageContaining("choose one kind of backoff");
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
