package dev.outbox.benchmarks.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MessageTest {

    @Test
    void anyTextSurvivesTheLine() {
        Message message =
                new Message("open", Map.of("url", "jdbc:postgresql://h/d?a=b&c=d", "odd name", "tab\tline\n=é"));

        assertThat(message.encode()).doesNotContain("\n");
        assertThat(Message.decode(message.encode())).isEqualTo(message);
    }

    @Test
    void missingValueIsNamed() {
        assertThatThrownBy(() -> Message.decode("pace\trate=200").number("seconds"))
                .hasMessageContaining("seconds")
                .hasMessageContaining("rate");
    }
}
