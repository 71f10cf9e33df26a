package dev.outbox.operations.internal.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.operations.Delivery.FailedAttempt;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FailedAttemptsJsonTest {

    @Test
    void readsWhatIsThere() {
        assertThat(FailedAttemptsJson.read("[]")).isEmpty();
        assertThat(FailedAttemptsJson.read(
                        "[{\"attempt\": 3, \"at\": \"2026-01-02T03:04:05.678+02:00\", \"code\": \"A\"}]"))
                .containsExactly(
                        new FailedAttempt(3, Instant.parse("2026-01-02T01:04:05.678Z"), "A", "", null, null, null));
    }
}
