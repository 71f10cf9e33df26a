package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.BatchHandler.Batch;
import dev.outbox.BatchOutcome;
import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxHandler;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
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
        Batch payloads = new Batch(
                List.of(new Ordered(1)), List.of(HandlerDiscoveryTest.ENVELOPE), (one, cause) -> failed.add(one));
        heard.clear();
        try (AnnotationConfigApplicationContext context = HandlerDiscoveryTest.context(Batches.class)) {
            for (HandlerDefinition handler : HandlerDiscoveryTest.find(context)) {
                assertThat(handler.isBatch()).isTrue();
                handler.handle(payloads, HandlerDiscoveryTest.ENVELOPE, HandlerDiscoveryTest.CONTEXT);
            }
        }
        assertThat(heard).containsExactlyInAnyOrder("payloads [Ordered[number=1]]", "both 1 1", "envelopes 1");
        assertThat(failed).containsExactly(new Ordered(1));
    }
}
