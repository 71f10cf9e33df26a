package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.mock.env.MockEnvironment;

class LeaveOutTest {

    @Test
    void kafkaNeedsOneOfTheProfiles() {
        try (GenericApplicationContext context = new GenericApplicationContext()) {
            context.setEnvironment(new MockEnvironment().withProperty("sample.transport", "kafka"));

            assertThatIllegalStateException()
                    .isThrownBy(() -> new LeaveOut().initialize(context))
                    .withMessageContaining("set spring.profiles.active=web for one");
        }
    }
}
