package dev.outbox.spring.autoconfigure.tracing;

import static dev.outbox.spring.autoconfigure.tracing.PublishTracingTest.attributes;
import static dev.outbox.spring.autoconfigure.tracing.Traced.order;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.listener.OutboxListener;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.testing.TestDatabase;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

@Tag("full")
class HandleTracingTest {

    private static final String FAILURE_LOG = "dev.outbox.internal.dispatch.FailureLog";

    @AutoClose
    private final TestDatabase database = Applications.database();

    /** Trace ids of the log context, one for each invocation. */
    private final List<String> logged = new CopyOnWriteArrayList<>();

    private final HandlerDefinition mail =
            HandlerDefinition.of("mail", Set.of("*"), (event) -> logged.add(MDC.get("traceId")));

    @Test
    void handlerContinuesTraceOfPublisher() {
        run(mail, (traced) -> {
            String trace = traced.inSpan("request", () -> traced.publish(order(7)));

            SpanData handle = await().until(() -> traced.spans("handle mail"), (spans) -> !spans.isEmpty())
                    .get(0);
            assertThat(handle.getTraceId()).isEqualTo(trace);
            assertThat(handle.getParentSpanId())
                    .isEqualTo(traced.span("publish OrderPlaced").getSpanId());
            assertThat(handle.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(handle.getLinks()).isEmpty();
            assertThat(logged).containsExactly(trace);
            assertThat(attributes(handle))
                    .containsEntry("stream", "default")
                    .containsEntry("event.type", "OrderPlaced")
                    .containsEntry("handler", "mail")
                    .containsEntry("outcome", "success")
                    .containsEntry("aggregate.id", "7")
                    .containsEntry("attempt", "1")
                    .containsEntry("replayed", "false");
        });
    }

    @Test
    void exceptionMarksSpanAndItsLogLineHasTrace() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(FAILURE_LOG);
        logger.addAppender(log);
        HandlerDefinition flaky =
                HandlerDefinition.withContext("flaky", Set.of("*"), null, (payload, event, context) -> {
                    if (context.attempt() == 1) {
                        throw new IllegalStateException("mail server is down");
                    }
                });
        run(flaky, (traced) -> {
            String trace = traced.inSpan("request", () -> traced.publish(order(1)));

            List<SpanData> attempts = await().until(() -> traced.spans("handle flaky"), (spans) -> spans.size() == 2);
            assertThat(attempts)
                    .allSatisfy((span) -> assertThat(span.getTraceId()).isEqualTo(trace));
            assertThat(attempts)
                    .extracting((span) -> span.getStatus().getStatusCode())
                    .containsExactly(StatusCode.ERROR, StatusCode.UNSET);
            assertThat(attributes(attempts.get(0))).containsEntry("outcome", "error");
            assertThat(attributes(attempts.get(1))).containsEntry("attempt", "2");
            assertThat(List.copyOf(log.list))
                    .filteredOn((line) -> line.getFormattedMessage().startsWith("flaky failed"))
                    .singleElement()
                    .satisfies((line) -> assertThat(line.getMDCPropertyMap()).containsEntry("traceId", trace));
        });
        logger.detachAppender(log);
    }

    @Test
    void redeliveryByAnotherInstanceContinuesTrace() {
        List<String> published = new ArrayList<>();
        HandlerDefinition lost = HandlerDefinition.of("mail", Set.of("*"), (event) -> database.cutOff());
        runWithShortLease(lost, (traced) -> {
            published.add(traced.inSpan("request", () -> traced.publish(order(1))));
            await().until(() -> !traced.spans("handle mail").isEmpty());
            published.add(traced.span("publish OrderPlaced").getSpanId());
        });
        database.restore();

        runWithShortLease(mail, (traced) -> {
            SpanData handle = await().until(() -> traced.spans("handle mail"), (spans) -> !spans.isEmpty())
                    .get(0);
            assertThat(handle.getTraceId()).isEqualTo(published.get(0));
            assertThat(handle.getParentSpanId()).isEqualTo(published.get(1));
        });
    }

    private void runWithShortLease(HandlerDefinition handler, Consumer<Traced> test) {
        Traced.on(database, handler)
                .withPropertyValues(
                        "outbox.poller.lease=1s",
                        "outbox.poller.shutdown-timeout=0s",
                        "spring.datasource.hikari.connection-timeout=250")
                .run((context) -> test.accept(new Traced(context)));
    }

    @ParameterizedTest
    @CsvSource({"601, true", "300, false"})
    void lateEventIsLinked(long age, boolean linked) {
        Traced.on(database, mail).run((context) -> {
            Traced traced = new Traced(context);
            OutboxEvent event = order(1).occurredAt(Instant.now().minusSeconds(age));
            String trace = traced.inSpan("request", () -> traced.publish(event));

            SpanData handle = await().until(() -> traced.spans("handle mail"), (spans) -> !spans.isEmpty())
                    .get(0);
            if (linked) {
                assertThat(handle.getParentSpanContext().isValid()).isFalse();
                assertThat(handle.getTraceId()).isNotEqualTo(trace);
                assertThat(Traced.linkedTraces(handle)).containsExactly(trace);
            } else {
                assertThat(handle.getTraceId()).isEqualTo(trace);
            }
            assertThat(logged).containsExactly(handle.getTraceId());
        });
    }

    @Test
    void replayIsLinked() {
        run(mail, (traced) -> {
            String trace = traced.inSpan("request", () -> traced.publish(order(1)));
            await().until(() -> traced.spans("handle mail").size() == 1);

            traced.context().getBean(Replays.class).start(ReplayRequest.of("mail"), "ops", "tests the replay");

            List<SpanData> handled = await().until(() -> traced.spans("handle mail"), (spans) -> spans.size() == 2);
            assertThat(handled.get(1).getTraceId()).isNotEqualTo(trace);
            assertThat(Traced.linkedTraces(handled.get(1))).containsExactly(trace);
            assertThat(attributes(handled.get(1))).containsEntry("replayed", "true");
        });
    }

    @Test
    void batchIsLinkedToTracesOfItsEvents() {
        HandlerDefinition index =
                HandlerDefinition.ofBatch("index", Set.of("*"), null, (payloads, events, outcome, context) -> {});
        run(index, (traced) -> {
            traced.context().getBean(OutboxRuntime.class).close();
            List<String> traces = new ArrayList<>();
            traces.add(traced.inSpan(
                    "first",
                    () -> traced.inTransaction(() ->
                            traced.context().getBean(OutboxPublisher.class).publishAll(List.of(order(1), order(2))))));
            for (int i = 3; i < 40; i++) {
                OutboxEvent next = order(i);
                traces.add(traced.inSpan("next", () -> traced.publish(next)));
            }

            traced.context().getBean(OutboxRuntime.class).start();

            SpanData handle = await().until(() -> traced.spans("handle index"), (spans) -> !spans.isEmpty())
                    .get(0);
            assertThat(handle.getParentSpanContext().isValid()).isFalse();
            assertThat(traces).hasSize(38).doesNotContain(handle.getTraceId());
            assertThat(Traced.linkedTraces(handle)).containsExactlyElementsOf(traces.subList(0, 32));
            assertThat(attributes(handle)).containsEntry("events", "39");
        });
    }

    @ParameterizedTest
    @CsvSource({"0", "601"})
    void baggageReachesHandler(long age) {
        AtomicReference<Tracer> tracer = new AtomicReference<>();
        List<String> tenants = new CopyOnWriteArrayList<>();
        HandlerDefinition handler = HandlerDefinition.of(
                "mail",
                Set.of("*"),
                (event) -> tenants.add(
                        String.valueOf(tracer.get().getBaggage("tenant").get())));
        Traced.on(database, handler).run((context) -> {
            Traced traced = new Traced(context);
            tracer.set(traced.tracer());
            OutboxEvent event = order(1).occurredAt(Instant.now().minusSeconds(age));
            traced.inSpan("request", () -> traced.withTenant("acme", () -> traced.publish(event)));
            await().until(() -> traced.spans("handle mail").size() == 1);
            traced.inSpan("request", () -> traced.publish(order(2)));
            await().until(() -> traced.spans("handle mail").size() == 2);

            assertThat(tenants).containsExactly("acme", "null");
        });
    }

    @Test
    void idleOutboxCreatesNoSpan() {
        AtomicInteger claims = new AtomicInteger();
        Traced.on(database, mail)
                .withPropertyValues("outbox.poller.notify=false")
                .withBean(OutboxListener.class, () -> new OutboxListener() {
                    @Override
                    public void claimed(String stream, Duration duration, int events) {
                        claims.incrementAndGet();
                    }
                })
                .run((context) -> {
                    await().until(() -> claims.get() >= 10);

                    assertThat(new Traced(context).spans()).isEmpty();
                });
    }

    private void run(HandlerDefinition handler, Consumer<Traced> test) {
        Traced.on(database, handler).run((context) -> test.accept(new Traced(context)));
    }
}
