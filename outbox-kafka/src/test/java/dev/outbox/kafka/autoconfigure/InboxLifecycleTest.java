package dev.outbox.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.internal.store.OutboxSchema;
import dev.outbox.kafka.TestKafka;
import dev.outbox.kafka.internal.forwarder.TopicCheck;
import dev.outbox.kafka.internal.inbox.PausedInboxes;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

@ExtendWith(OutputCaptureExtension.class)
class InboxLifecycleTest {

    private static final Map<String, Object> CONSUMER = Map.of(
            "bootstrap.servers", TestKafka.bootstrapServers(),
            "client.id", "billing",
            "group.id", "billing",
            "auto.offset.reset", "earliest");

    private static InboxLifecycle lifecycle(boolean enabled) {
        TopicCheck check =
                new TopicCheck(CONSUMER, Map.of("outbox.kafka.inboxes.orders.topics", "missing-inbox-topic"));
        PausedInboxes paused = new PausedInboxes(new SimpleDriverDataSource(), OutboxSchema.DEFAULT, List.of());
        return new InboxLifecycle(List.of(), paused, check, enabled);
    }

    @Test
    void missingTopicIsReportedAtTheStart(CapturedOutput output) {
        InboxLifecycle lifecycle = lifecycle(true);
        lifecycle.start();

        await().until(() -> output.getOut()
                .contains("Topic missing-inbox-topic of outbox.kafka.inboxes.orders.topics does not exist"));
        lifecycle.stop();
        assertThat(lifecycle.isRunning()).isFalse();
    }

    @Test
    void disabledPollerDisablesInboxes(CapturedOutput output) {
        InboxLifecycle lifecycle = lifecycle(false);
        lifecycle.start();

        assertThat(output).contains("Inboxes receive nothing here").doesNotContain("does not exist");
        lifecycle.stop();
    }
}
