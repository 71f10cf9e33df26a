package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.OutboxPropertiesTest.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.RecordComponent;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.ResolvableType;

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
    @CsvSource(delimiter = '|', textBlock = """
                    outbox.schema                     | pg_events | not a usable schema name
                    outbox.schema                     | ev-ents   | not a usable schema name
                    outbox.schema                     | Events    | use lower-case letters, digits and underscores
                    outbox.retention.archive-schema   | 1         | not a usable schema name
                    outbox.poller.interval            | 0s        | must be positive
                    outbox.poller.batch-size          | 0         | must lie between
                    outbox.poller.shutdown-timeout    | -1s       | must not be negative
                    outbox.retry.max-attempts         | 0         | must be at least 1
                    outbox.retry.initial-delay        | -1s       | must lie between
                    outbox.retry.max-delay            | -1s       | must lie between
                    outbox.retry.delays               | 1s,-1s    | must lie between
                    outbox.retry.non-retryable        | java.lang.String | none but exceptions
                    outbox.streams.mail.batch-size    | 0         | must lie between
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
    @CsvSource(delimiter = '|', textBlock = """
                    outbox.retention.published                  | 30      | 30ms is shorter than 1h; did you mean 30d?
                    outbox.retention.published                  | 2592000 | 43m12s is shorter than 1h; did you mean 2592000s?
                    outbox.retention.dead                       | 1       | 1ms is shorter than 1h; did you mean 1d?
                    outbox.retention.dead                       | 1ms     | 1ms is shorter than 1h
                    outbox.retention.archived                   | 36501d  | 36501d is longer than 36500d
                    outbox.poller.interval                      | 5       | 5ms is shorter than 100ms; did you mean 5s?
                    outbox.poller.interval                      | 1d      | 1d is longer than 1h
                    outbox.poller.lease                         | 60      | 60ms is shorter than 1s; did you mean 60s?
                    outbox.poller.lease                         | 500ms   | 500ms is shorter than 1s
                    outbox.poller.lease                         | 10d     | 10d is longer than 1h
                    outbox.poller.shutdown-timeout              | 20      | 20ms is shorter than 1s; did you mean 20s?
                    outbox.handler-timeout                      | 100     | 100ms is shorter than 1s; did you mean 100s?
                    outbox.retry.delays                         | 1s,10   | 10ms is shorter than 100ms; did you mean 10s?
                    outbox.retry.delays                         | 1s,10ms | 10ms is shorter than 100ms
                    outbox.handlers[a.b].circuit.probe-interval | 30      | 30ms is shorter than 100ms; did you mean 30s?
                    """)
    void durationThatLacksItsUnitIsReportedWithTheUnit(String property, String value, String reason) {
        assertThatThrownBy(() -> settings(property + "=" + value))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
                    assertThat(ex.getName()).isEqualTo(property);
                    assertThat(ex.getReason()).isEqualTo(reason);
                });
    }

    @Test
    void everyDurationHasBounds() {
        List<String> durations = durations("outbox", OutboxProperties.class);

        assertThat(durations).contains("outbox.handler-timeout", "outbox.streams.x.retry.delays");
        assertThat(durations)
                .allSatisfy((property) -> assertThatThrownBy(() -> settings(property + "=1"))
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining(property)
                        .hasMessageContaining("did you mean"));
    }

    /** Returns the names of all durations; an entry of a map has the name x. */
    private static List<String> durations(String prefix, Class<?> type) {
        List<String> found = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
            ResolvableType declared = ResolvableType.forType(component.getGenericType());
            Class<?> entry = declared.as(Map.class).resolveGeneric(1);
            if (declared.as(List.class).resolveGeneric(0) == Duration.class || component.getType() == Duration.class) {
                found.add(name);
            } else if (component.getType().isRecord()) {
                found.addAll(durations(name, component.getType()));
            } else if (entry != null && entry.isRecord()) {
                found.addAll(durations(name + ".x", entry));
            }
        }
        return found;
    }

    @Test
    void zeroAndOrdinaryValuesAreAccepted() {
        assertThatCode(() -> settings(
                        "outbox.poller.shutdown-timeout=0s",
                        "outbox.retry.delays=0s,100ms,365d",
                        "outbox.retention.published=1h",
                        "outbox.poller.interval=100ms",
                        "outbox.handler-timeout=1d"))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"outbox.retry", "outbox.streams.mail.retry", "outbox.handlers[a.b].retry"})
    void initialDelayIsNotLongerThanTheMaximum(String prefix) {
        assertThatThrownBy(() -> settings(prefix + ".initial-delay=10m", prefix + ".max-delay=1m"))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                .hasMessageContaining(prefix + ".initial-delay")
                .hasMessageContaining("10m is longer than max-delay, 1m");
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
}
