package dev.outbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.CircuitBreaker;
import dev.outbox.EventEnvelope;
import dev.outbox.fixture.MovingClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CircuitTest {

    private static final Duration PROBE_INTERVAL = Duration.ofSeconds(30);

    private final MovingClock clock = new MovingClock();
    private final Circuits.Circuit circuit =
            new Circuits.Circuit("mail", new CircuitBreaker(3, PROBE_INTERVAL), clock::nanos);

    @Test
    void opensWhenEnoughAggregatesHaveFailedInARow() {
        assertThat(circuit.failed(event("1"))).isFalse();
        assertThat(circuit.failed(event("2"))).isFalse();
        assertThat(circuit.pass()).isTrue();
        assertThat(circuit.failed(event("3"))).isTrue();
        assertThat(circuit.isPassable()).isFalse();
        assertThat(circuit.pass()).isFalse();
    }

    @Test
    void successInBetweenBeginsANewCount() {
        circuit.failed(event("1"));
        circuit.failed(event("2"));
        circuit.succeeded();
        assertThat(circuit.failed(event("3"))).isFalse();
        assertThat(circuit.pass()).isTrue();
    }

    @Test
    void onePoisonedAggregateDoesNotOpenIt() {
        for (int i = 0; i < 100; i++) {
            assertThat(circuit.failed(event("1"))).isFalse();
        }
    }

    @Test
    void letsOneEventPassInEachIntervalUntilOneSucceeds() {
        open();
        clock.advance(PROBE_INTERVAL.minusMillis(1));
        assertThat(circuit.pass()).isFalse();
        clock.advance(Duration.ofMillis(1));
        assertThat(circuit.isPassable()).isTrue();
        assertThat(circuit.pass()).isTrue();
        assertThat(circuit.pass()).isFalse();
        circuit.failed(event("4"));
        clock.advance(PROBE_INTERVAL);
        assertThat(circuit.pass()).isTrue();
        circuit.succeeded();
        assertThat(circuit.pass()).isTrue();
        assertThat(circuit.pass()).isTrue();
    }

    @Test
    void clockSetBackDoesNotKeepItOpen() {
        open();
        clock.set(Duration.ofDays(-1));
        clock.advance(PROBE_INTERVAL);
        assertThat(circuit.pass()).isTrue();
    }

    @Test
    void clockSetForwardDoesNotEndTheInterval() {
        open();
        clock.set(Duration.ofDays(1));
        assertThat(circuit.pass()).isFalse();
    }

    private void open() {
        circuit.failed(event("1"));
        circuit.failed(event("2"));
        circuit.failed(event("3"));
    }

    private static EventEnvelope event(String aggregateId) {
        return new EventEnvelope(
                1,
                new UUID(0, 1),
                "default",
                "order",
                aggregateId,
                1,
                "OrderPlaced",
                1,
                "{}",
                Map.of(),
                Instant.EPOCH,
                false);
    }
}
