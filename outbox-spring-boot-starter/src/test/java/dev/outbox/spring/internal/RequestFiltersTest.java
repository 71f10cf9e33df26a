package dev.outbox.spring.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.operations.DeliverySelection.Place;
import dev.outbox.operations.EventDetails.Status;
import dev.outbox.operations.InvalidOperationException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestFiltersTest {

    @ParameterizedTest
    @ValueSource(strings = {"2026-03-01T12:00", "2026-03-01T12:00:00Z", "2026-03-01T13:00:00.000+01:00"})
    void timeIsUtcUnlessItNamesZone(String time) {
        assertThat(filters("since", time).time("since")).isEqualTo(Instant.parse("2026-03-01T12:00:00Z"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"90m", "PT1H30M", "5400s"})
    void durationIsShortOrIso(String duration) {
        assertThat(filters("duration", duration).duration("duration")).isEqualTo(Duration.ofMinutes(90));
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "", "30 m", "9999999999999999999d"})
    void otherDurationIsRefused(String duration) {
        RequestFilters filters = filters("duration", duration);

        assertThatThrownBy(() -> filters.duration("duration"))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("'duration' must be a duration such as 30m or 4h, not '" + duration);
    }

    @Test
    void placeOfHandlerWithColonIsReadBack() {
        Place place = new Place(7, "mail:v2");

        assertThat(filters("after", RequestFilters.next(place)).after()).isEqualTo(place);
    }

    @ParameterizedTest
    @ValueSource(strings = {",", "OrderPaid,", ",OrderPaid"})
    void missingEventTypeNeverWidensReplay(String eventTypes) {
        RequestFilters filters = new RequestFilters(Map.of("handler", "mail", "eventType", eventTypes));

        assertThatThrownBy(() -> filters.replay("replay")).isInstanceOf(InvalidOperationException.class);
    }

    @Test
    void statusOfEventsIsReadInAnyCase() {
        assertThat(filters("status", "dead").events("events").status()).isEqualTo(Status.DEAD);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PROCESSING", "OPEN", "PENDING,DEAD"})
    void statusThatNoEventIsFoundWithIsRefused(String status) {
        assertThatThrownBy(() -> filters("status", status).events("events"))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("must be PENDING, RETRYING, DEAD or PUBLISHED");
    }

    private static RequestFilters filters(String name, String value) {
        return new RequestFilters(Map.of(name, value));
    }
}
