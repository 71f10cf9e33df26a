package dev.outbox.sample.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.NonRetryableException;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.PushEvent.PushRequested;
import dev.outbox.sample.push.PushGateway.GatewayException;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** What a push does if its event comes again. */
@SampleTest
class PushSenderTest {

    private final String user = "user-" + UUID.randomUUID();
    private final AtomicInteger sends = new AtomicInteger();

    @Autowired
    private Inbox inbox;

    @Test
    void whatWasSentIsNotSentAgain() {
        PushRequested event = request();
        PushSender sender = sender((message) -> true);

        sender.send(event);
        sender.send(event);

        assertThat(message().status()).isEqualTo("SENT");
        assertThat(sends).hasValue(1);
    }

    @Test
    void abandonedPushIsNotSentAgain() {
        PushRequested event = request();
        PushSender sender = sender((message) -> {
            throw new GatewayException("503");
        });
        for (int attempt = 1; attempt <= 3; attempt++) {
            assertThatThrownBy(() -> sender.send(event)).isInstanceOf(GatewayException.class);
            assertThat(message().status()).isEqualTo("PENDING");
        }
        assertThatThrownBy(() -> sender.send(event)).isInstanceOf(NonRetryableException.class);

        sender((message) -> true).send(event);

        assertThat(message().status()).isEqualTo("FAILED");
        assertThat(sends).hasValue(4);
    }

    @Test
    void unregisteredPhoneIsAbandonedAtOnce() {
        PushRequested event = request();
        PushSender sender = sender((message) -> false);

        sender.send(event);
        sender.send(event);

        assertThat(message().status()).isEqualTo("FAILED");
        assertThat(sends).hasValue(1);
    }

    private PushRequested request() {
        return new PushRequested(inbox.put(user, "title", "body"));
    }

    private PushSender sender(PushGateway gateway) {
        PushGateway counting = (message) -> {
            sends.incrementAndGet();
            return gateway.send(message);
        };
        return new PushSender(inbox, counting, new PushSettings(4));
    }

    private InboxMessage message() {
        return inbox.of(user).get(0);
    }
}
