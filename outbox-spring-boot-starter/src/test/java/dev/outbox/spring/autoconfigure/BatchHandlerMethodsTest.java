package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.BatchHandler.Batch;
import dev.outbox.BatchOutcome;
import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxHandler;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import tools.jackson.databind.JsonNode;

class BatchHandlerMethodsTest {

    private static final List<String> heard = new ArrayList<>();

    record Ordered(int number) {}

    static class Batches {

        @OutboxHandler
        void payloads(List<Ordered> batch) {
            heard.add("payloads " + batch);
        }

        @OutboxHandler
        void payloadsAndEnvelopes(List<Ordered> batch, List<EventEnvelope> envelopes, BatchOutcome outcome) {
            heard.add("both " + batch.size() + " " + envelopes.size());
            outcome.failed(batch.get(0), new IllegalStateException("on purpose"));
        }

        @OutboxHandler(eventTypes = "*")
        void envelopes(List<EventEnvelope> batch, BatchOutcome outcome, EventContext context) {
            heard.add("envelopes " + context.attempt());
        }

        @OutboxHandler(eventTypes = "Ordered")
        void nodes(List<JsonNode> batch) {}
    }

    @Test
    void batchMethodsGetTheirArguments() throws Exception {
        List<Object> failed = new ArrayList<>();
        EventEnvelope event = new EventEnvelope(
                1, UUID.randomUUID(), "default", "order", "1", 1, "Ordered", 1, "{}", Map.of(), Instant.EPOCH, false);
        Batch payloads = new Batch(List.of(new Ordered(1)), List.of(event), (one, cause) -> failed.add(one));
        heard.clear();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Batches.class)) {
            for (HandlerDefinition handler : new HandlerDiscovery(context.getBeanFactory()).find()) {
                assertThat(handler.isBatch()).isTrue();
                handler.handle(payloads, event, new FirstAttempt());
            }
        }
        assertThat(heard).containsExactlyInAnyOrder("payloads [Ordered[number=1]]", "both 1 1", "envelopes 1");
        assertThat(failed).containsExactly(new Ordered(1));
    }

    static class RawList {

        @OutboxHandler
        @SuppressWarnings("rawtypes")
        void refused(List batch) {}
    }

    static class EnvelopesFirst {

        @OutboxHandler
        void refused(List<EventEnvelope> envelopes, List<Ordered> batch) {}
    }

    static class Strings {

        @OutboxHandler
        void refused(List<String> batch) {}
    }

    static class OutcomeOfASingleEvent {

        @OutboxHandler
        void refused(Ordered event, BatchOutcome outcome) {}
    }

    @ParameterizedTest
    @ValueSource(classes = {RawList.class, EnvelopesFirst.class, Strings.class, OutcomeOfASingleEvent.class})
    void otherListsAreRefusedWithTheAllowedSignatures(Class<?> bean) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(bean)) {
            assertThatThrownBy(() -> new HandlerDiscovery(context.getBeanFactory()).find())
                    .isInstanceOf(OutboxConfigurationException.class)
                    .hasMessageContaining(".refused(")
                    .hasMessageContaining("void handle(List<Payload> events, List<EventEnvelope> envelopes)");
        }
    }

    private record FirstAttempt() implements EventContext {

        @Override
        public int attempt() {
            return 1;
        }

        @Override
        public boolean isLeaseLost() {
            return false;
        }
    }
}
