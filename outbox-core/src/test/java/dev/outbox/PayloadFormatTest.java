package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Date;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The format of stored payloads: a change of it here changes what stored rows mean. */
class PayloadFormatTest {

    enum Plan {
        GOLD_PLAN;

        @Override
        public String toString() {
            return "a name for people";
        }
    }

    record Times(Instant at, OffsetDateTime local, LocalDate day, Duration length, Date legacy) {}

    record Invoice(String customerName, BigDecimal amount, Plan plan, Optional<String> note) {}

    record Open(Map<String, Object> values) {}

    record Amounts(Map<Plan, BigDecimal> byPlan) {}

    private final JsonMapper mapper = PayloadFormat.mapper();

    @Test
    void namesNumbersAndEnumsAreStoredAsTheyAreDeclared() {
        Invoice invoice = new Invoice("Ada", new BigDecimal("19.90"), Plan.GOLD_PLAN, Optional.empty());

        String json = mapper.writeValueAsString(invoice);

        assertThat(mapper.readTree(json)).isEqualTo(mapper.readTree("""
                        {"customerName": "Ada", "amount": 19.90, "plan": "GOLD_PLAN", "note": null}"""));
        assertThat(mapper.readValue(json, Invoice.class)).isEqualTo(invoice);
        assertThat(mapper.writeValueAsString(new Amounts(Map.of(Plan.GOLD_PLAN, BigDecimal.ONE))))
                .isEqualTo("{\"byPlan\":{\"GOLD_PLAN\":1}}");
    }

    @Test
    void timesAreTextAndKeepTheirOffset() {
        Times times = new Times(
                Instant.parse("2026-01-02T03:04:05.123456789Z"),
                OffsetDateTime.parse("2026-01-02T03:04:05+02:00"),
                LocalDate.parse("2026-01-02"),
                Duration.ofMillis(90_500),
                new Date(0));

        String json = mapper.writeValueAsString(times);

        assertThat(json)
                .contains(
                        "\"2026-01-02T03:04:05.123456789Z\"",
                        "\"2026-01-02T03:04:05+02:00\"",
                        "\"2026-01-02\"",
                        "\"PT1M30.5S\"",
                        "\"1970-01-01T00:00:00.000Z\"");
        assertThat(mapper.readValue(json, Times.class)).isEqualTo(times);
    }

    @Test
    void numbersKeepTheirDigitsWithoutAClass() {
        String json = "{\"values\":{\"amount\":1234567890.12345678901234567890,\"price\":1.10}}";

        JsonNode tree = mapper.readTree(json);
        Open open = mapper.readValue(json, Open.class);

        assertThat(mapper.writeValueAsString(tree)).isEqualTo(json);
        assertThat(open.values())
                .containsEntry("amount", new BigDecimal("1234567890.12345678901234567890"))
                .containsEntry("price", new BigDecimal("1.10"));
    }

    @Test
    void unknownPropertiesAreIgnored() {
        assertThat(mapper.readValue("{\"byPlan\":{},\"added\":1}", Amounts.class))
                .isEqualTo(new Amounts(Map.of()));
    }
}
