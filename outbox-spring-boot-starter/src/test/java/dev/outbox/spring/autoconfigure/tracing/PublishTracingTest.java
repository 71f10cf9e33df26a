package dev.outbox.spring.autoconfigure.tracing;

import static dev.outbox.spring.autoconfigure.tracing.Traced.order;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.outbox.EventEnvelope;
import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxPublisher;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.tracing.OutboxPublishObservationContext;
import dev.outbox.spring.tracing.OutboxPublishObservationConvention;
import dev.outbox.testing.TestDatabase;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

@Tag("full")
class PublishTracingTest {

    private static final String OTHER_TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String OTHER_PARENT = "00-" + OTHER_TRACE + "-b7ad6b7169203331-01";

    private final TestDatabase database = Applications.database();

    @AfterEach
    void dropDatabase() {
        MDC.clear();
        database.close();
    }

    @Test
    void eventStoresTraceOfItsPublication() {
        run((traced) -> {
            List<EventEnvelope> events = new ArrayList<>();
            String trace = traced.inSpan(
                    "request", () -> traced.withTenant("acme", () -> events.add(traced.publish(order(7)))));

            SpanData publish = traced.span("publish OrderPlaced");
            assertThat(publish.getTraceId()).isEqualTo(trace);
            assertThat(publish.getParentSpanId())
                    .isEqualTo(traced.span("request").getSpanId());
            assertThat(publish.getKind()).isEqualTo(SpanKind.PRODUCER);
            assertThat(events.get(0).headers())
                    .containsEntry("traceId", trace)
                    .hasEntrySatisfying(
                            "baggage", (baggage) -> assertThat(baggage).contains("tenant=acme"))
                    .extractingByKey("traceparent", STRING)
                    .startsWith("00-" + trace + "-" + publish.getSpanId() + "-");
            assertThat(attributes(publish))
                    .containsEntry("stream", "default")
                    .containsEntry("event.type", "OrderPlaced")
                    .containsEntry("event.id", events.get(0).eventId().toString())
                    .containsEntry("aggregate.type", "order")
                    .containsEntry("aggregate.id", "7")
                    .containsEntry("events", "1");
        });
    }

    @Test
    void batchIsOneSpanUnlessItIsEmpty() {
        run((traced) -> {
            OutboxPublisher publisher = traced.context().getBean(OutboxPublisher.class);
            traced.inTransaction(() -> publisher.publishAll(List.of()));
            List<EventEnvelope> events = traced.inTransaction(() -> publisher.publishAll(List.of(order(1), order(2))));

            SpanData publish = traced.span("publish events");
            assertThat(traced.spans()).containsOnly(publish);
            assertThat(events)
                    .hasSize(2)
                    .allSatisfy((event) -> assertThat(
                                    TraceParent.parse(event.headers().get("traceparent")))
                            .isEqualTo(new TraceParent(publish.getTraceId(), publish.getSpanId(), true)));
            assertThat(attributes(publish)).containsEntry("events", "2").doesNotContainKey("event.id");
        });
    }

    @Test
    void storedTraceIdIsThatOfTracer() {
        run((traced) -> {
            MDC.put("traceId", "of-the-application");

            EventEnvelope event = traced.publish(order(1));

            assertThat(event.headers())
                    .containsEntry("traceId", traced.span("publish OrderPlaced").getTraceId());
            assertThat(MDC.get("traceId")).isEqualTo("of-the-application");
        });
    }

    @Test
    void traceOfEventWins() {
        run((traced) -> {
            List<EventEnvelope> events = new ArrayList<>();
            traced.inSpan(
                    "request", () -> events.add(traced.publish(order(1).withHeader("traceparent", OTHER_PARENT))));

            assertThat(events.get(0).headers())
                    .containsOnly(Map.entry("traceparent", OTHER_PARENT), Map.entry("traceId", OTHER_TRACE));
        });
    }

    @Test
    void refusedEventIsError() {
        run((traced) -> {
            assertThatExceptionOfType(InvalidTransactionException.class)
                    .isThrownBy(() ->
                            traced.context().getBean(OutboxPublisher.class).publish(order(1)));

            SpanData publish = traced.span("publish events");
            assertThat(publish.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            assertThat(attributes(publish)).containsEntry("event.type", "unknown");
        });
    }

    @Test
    void unsampledTraceIsStoredToo() {
        Traced.on(database)
                .withPropertyValues("outbox.poller.enabled=false", "management.tracing.sampling.probability=0")
                .run((context) -> {
                    EventEnvelope event = new Traced(context).publish(order(1));

                    assertThat(TraceParent.parse(event.headers().get("traceparent")))
                            .isNotNull()
                            .extracting(TraceParent::sampled)
                            .isEqualTo(false);
                    assertThat(new Traced(context).spans()).isEmpty();
                });
    }

    @Test
    void conventionCanBeReplaced() {
        Traced.on(database)
                .withBean(OutboxPublishObservationConvention.class, AggregateNames::new)
                .withPropertyValues("outbox.poller.enabled=false")
                .run((context) -> {
                    new Traced(context).publish(order(1));

                    assertThat(new Traced(context).spans())
                            .extracting(SpanData::getName)
                            .containsExactly("store order");
                });
    }

    private void run(Consumer<Traced> test) {
        Traced.on(database)
                .withPropertyValues("outbox.poller.enabled=false")
                .run((context) -> test.accept(new Traced(context)));
    }

    /** Names spans after aggregate types. */
    static final class AggregateNames implements OutboxPublishObservationConvention {

        @Override
        public String getContextualName(OutboxPublishObservationContext context) {
            return "store " + context.getEvents().get(0).aggregateType();
        }
    }

    static Map<String, String> attributes(SpanData span) {
        Map<String, String> attributes = new TreeMap<>();
        span.getAttributes().forEach((key, value) -> attributes.put(key.getKey(), String.valueOf(value)));
        return attributes;
    }
}
