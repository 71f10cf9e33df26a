package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.test.OutboxChannelTesterAutoConfiguration;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.SubscribableChannel;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.support.ErrorMessage;
import org.springframework.messaging.support.ExecutorSubscribableChannel;
import org.springframework.transaction.support.TransactionOperations;

/** A route to a channel of the test, whose acknowledgements come after the handler has returned. */
@OutboxTest(
        excludeAutoConfiguration = OutboxChannelTesterAutoConfiguration.class,
        properties = {
            "outbox.forwarding.source=/shop",
            "outbox.channel.routes.parts.aggregate-types=part",
            "outbox.channel.routes.parts.channel=parts",
            "outbox.channel.routes.parts.confirmation=acknowledgement",
            "outbox.channel.routes.parts.acknowledgements=answers"
        })
@Import(AcknowledgementsTest.Channels.class)
class AcknowledgementsTest {

    private static final List<Message<?>> SENT = new CopyOnWriteArrayList<>();

    private static volatile Function<Message<?>, Optional<Message<?>>> answer = (message) -> Optional.empty();

    @Autowired
    private OutboxPublisher publisher;

    @Autowired
    private TransactionOperations transactions;

    @Autowired
    private OutboxTester outbox;

    @Autowired
    private SubscribableChannel answers;

    static class Channels {

        @Bean
        MessageChannel parts(SubscribableChannel answers) {
            return (message, timeout) -> {
                SENT.add(message);
                answer.apply(message).ifPresent(answers::send);
                return true;
            };
        }

        @Bean
        SubscribableChannel answers() {
            return new ExecutorSubscribableChannel();
        }
    }

    @BeforeEach
    void publish() {
        SENT.clear();
        answer = (message) -> Optional.empty();
        transactions.executeWithoutResult((status) -> publisher.publish(
                OutboxEvent.of("part", "a", Map.of("number", 1)).withEventType("PartCounted")));
    }

    @Test
    void drainGivesUpWithoutAcknowledgement() {
        assertThatThrownBy(outbox::drain)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("drain() gave up, because in 5 s no acknowledgement has come for:")
                .hasMessageContaining("PartCounted")
                .hasMessageContaining("which went to channel-parts");

        answers.send(SENT.get(0));

        outbox.drain();

        assertThat(outbox).published("PartCounted").handledBy("channel-parts").isHandled();
        assertThat(SENT).hasSize(1);
    }

    @Test
    void verifyIdempotentGivesUpWithoutAcknowledgement() {
        answer = Optional::of;
        outbox.drain();
        answer = (message) -> Optional.empty();

        assertThatThrownBy(() -> outbox.verifyIdempotent("channel-parts"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("verifyIdempotent() gave up, because in 5 s no acknowledgement has come for:")
                .hasMessageContaining("PartCounted")
                .hasMessageContaining("which went to channel-parts");
    }

    @Test
    void laterFailureIsNotHandled() {
        answer = (message) -> Optional.of(new ErrorMessage(new MessageConversionException(message, "no text")));

        assertThat(outbox.drain().retried()).isEqualTo(1);

        assertThat(outbox)
                .published("PartCounted")
                .notHandledBy("channel-parts")
                .isRetrying();
    }
}
