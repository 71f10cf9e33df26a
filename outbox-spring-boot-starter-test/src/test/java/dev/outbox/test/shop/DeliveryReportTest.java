package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.test.autoconfigure.OutboxTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.context.TestPropertySource;

/** Has a context of its own, which starts while the output is captured. */
@ExtendWith(OutputCaptureExtension.class)
@OutboxTest(Mail.class)
@TestPropertySource(properties = "outbox.publisher.unrouted=warn")
class DeliveryReportTest {

    @Test
    void startSaysThatTheTestDelivers(CapturedOutput output) {
        assertThat(output)
                .contains("The test delivers the events, with OutboxTester.drain(), so this context polls no stream");
    }
}
