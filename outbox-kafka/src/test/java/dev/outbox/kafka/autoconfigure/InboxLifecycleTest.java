package dev.outbox.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class InboxLifecycleTest {

    @Test
    void disabledPollerDisablesInboxes(CapturedOutput output) {
        InboxLifecycle lifecycle = new InboxLifecycle(List.of(), false);
        lifecycle.start();

        assertThat(output).contains("Inboxes receive nothing here");
        lifecycle.stop();
    }
}
