package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxMapper;
import dev.outbox.PayloadFormat;
import dev.outbox.testing.TestDatabase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** The mapper of payloads beside the one of the application's web interface. */
class OutboxMapperTest {

    private static final String CAMEL_CASE = "{\"seatCount\": 7}";
    private static final String SNAKE_CASE = "{\"seat_count\": 7}";

    @AutoClose
    private final TestDatabase database = Applications.database();

    record SeatsAdded(int seatCount) {}

    static class Seats {

        final List<Integer> counts = new CopyOnWriteArrayList<>();
        final List<String> payloads = new CopyOnWriteArrayList<>();

        @OutboxHandler
        void add(SeatsAdded event, EventEnvelope envelope) {
            counts.add(event.seatCount());
            payloads.add(envelope.payload());
        }
    }

    /** What an application injects. */
    record Mappers(JsonMapper web, ObjectMapper general, JsonMapper outbox) {}

    @Configuration(proxyBeanMethods = false)
    static class Injected {

        @Bean
        Mappers mappers(JsonMapper web, ObjectMapper general, @OutboxMapper JsonMapper outbox) {
            return new Mappers(web, general, outbox);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnPayloadMapper {

        @Bean
        @OutboxMapper
        JsonMapper payloads() {
            return PayloadFormat.builder()
                    .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnWebMapper {

        @Bean
        JsonMapper own() {
            return JsonMapper.builder()
                    .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                    .build();
        }
    }

    @Test
    void propertiesOfTheWebMapperChangeNothing() {
        Applications.on(database)
                .withPropertyValues(
                        "spring.jackson.property-naming-strategy=SNAKE_CASE",
                        "spring.jackson.deserialization.fail-on-unknown-properties=true")
                .withUserConfiguration(Seats.class, Injected.class)
                .run((context) -> {
                    assertStored(context, CAMEL_CASE);
                    assertThat(web(context)).isEqualTo("{\"seat_count\":7}");
                });
    }

    @Test
    void webMapperOfTheApplicationChangesNothing() {
        Applications.on(database)
                .withUserConfiguration(Seats.class, OwnWebMapper.class, Injected.class)
                .run((context) -> {
                    assertStored(context, CAMEL_CASE);
                    assertThat(context.getBean(Mappers.class).web()).isSameAs(context.getBean("own"));
                });
    }

    @Test
    void markedMapperWritesAndReadsPayloadsOnly() {
        Applications.on(database)
                .withUserConfiguration(Seats.class, OwnPayloadMapper.class, Injected.class)
                .run((context) -> {
                    assertStored(context, SNAKE_CASE);
                    Mappers mappers = context.getBean(Mappers.class);
                    assertThat(mappers.outbox()).isSameAs(context.getBean("payloads"));
                    assertThat(mappers.web()).isSameAs(context.getBean("jacksonJsonMapper"));
                    assertThat(web(context)).isEqualTo("{\"seatCount\":7}");
                });
    }

    @Test
    void markedMapperOfADisabledOutboxIsNotTheWebMapper() {
        Applications.on(database)
                .withPropertyValues("outbox.enabled=false")
                .withUserConfiguration(OwnPayloadMapper.class, Injected.class)
                .run((context) -> assertThat(context.getBean(Mappers.class).web())
                        .isSameAs(context.getBean("jacksonJsonMapper")));
    }

    @Test
    void applicationWithoutAMapperOfItsOwnHasOneCandidate() {
        Applications.on(database).withUserConfiguration(Injected.class).run((context) -> {
            Mappers mappers = context.getBean(Mappers.class);
            assertThat(mappers.web()).isSameAs(mappers.general()).isNotSameAs(mappers.outbox());
            assertThat(mappers.outbox()).isSameAs(context.getBean("outboxJsonMapper"));
            assertThat(context.getSourceApplicationContext().getBean(JsonMapper.class))
                    .isSameAs(mappers.web());
            assertThat(context.getBeanProvider(JsonMapper.class).getIfUnique()).isSameAs(mappers.web());
        });
    }

    private static String web(AssertableApplicationContext context) {
        return context.getBean(Mappers.class).web().writeValueAsString(new SeatsAdded(7));
    }

    private static void assertStored(AssertableApplicationContext context, String payload) {
        assertThat(context).hasNotFailed();
        Applications.inTransaction(context, (outbox) -> outbox.publish("team", "1", new SeatsAdded(7)));
        Seats seats = context.getBean(Seats.class);
        await().untilAsserted(() -> assertThat(seats.payloads).containsExactly(payload));
        assertThat(seats.counts).containsExactly(7);
    }
}
