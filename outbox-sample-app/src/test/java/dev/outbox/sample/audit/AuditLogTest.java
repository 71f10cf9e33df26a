package dev.outbox.sample.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SampleTest
class AuditLogTest {

    @Autowired
    private AuditLog audit;

    @Test
    void redeliveredEventIsRecordedOnce() {
        EventEnvelope envelope = Envelopes.of("guild", "BotInstalled", "{\"guild_id\": \"guild-1\"}");
        EventEnvelope next = Envelopes.of("guild", "BotKicked", "{\"guild_id\": \"guild-1\"}");

        audit.record(List.of(envelope));
        List<AuditEntry> recorded = entriesOf(envelope);
        audit.record(List.of(envelope, next));

        assertThat(recorded).singleElement().satisfies((entry) -> {
            assertThat(entry.eventType()).isEqualTo("BotInstalled");
            assertThat(entry.payload()).isEqualTo("{\"guild_id\": \"guild-1\"}");
            assertThat(entry.occurredAt()).isEqualTo(envelope.occurredAt());
        });
        assertThat(entriesOf(envelope)).isEqualTo(recorded);
        assertThat(entriesOf(next)).hasSize(1);
    }

    private List<AuditEntry> entriesOf(EventEnvelope envelope) {
        return audit.latest().stream()
                .filter((entry) -> entry.outboxEventId().equals(envelope.eventId()))
                .toList();
    }
}
