package dev.outbox.sample.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.PushEvent.PushRequested;
import dev.outbox.sample.events.SystemEvent.OperationPerformed;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.push.PushGateway.Result;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;

/** What a push does if its event comes again. */
@SampleTest
class PushSenderTest {

    private final String user = "user-" + UUID.randomUUID();
    private final AtomicInteger sends = new AtomicInteger();

    @Autowired
    private Inbox inbox;

    @Autowired
    private Devices devices;

    @BeforeEach
    void register() {
        devices.register(new Device(user, "token-1", null));
    }

    @Test
    void abandonedPushIsNotSentAgain() {
        PushRequested event = request();
        PushSender sender = sender(() -> Result.ACCEPTED);

        sender.gaveUp(deadLetter(event, "HANDLER_TIMEOUT"));
        sender.send(event);

        assertThat(message().status()).isEqualTo("FAILED");
        assertThat(message().failure()).isEqualTo("HANDLER_TIMEOUT");
        assertThat(sends).hasValue(0);
    }

    @Test
    void sentPushStaysSentIfItsDeliveryDies() {
        PushRequested event = request();
        PushSender sender = sender(() -> Result.ACCEPTED);

        sender.send(event);
        sender.gaveUp(deadLetter(event, "CRASH_LOOP"));

        assertThat(message().status()).isEqualTo("SENT");
    }

    @ParameterizedTest
    @CsvSource({
        "SKIP, push.send, FAILED",
        "WITHDRAW, , FAILED",
        "SKIP, audit.record, PENDING",
        "RETRY, push.send, PENDING",
    })
    void pushThatAnOperatorSkippedIsOver(String action, String handlerId, String status) {
        PushRequested event = request();
        OperationPerformed operation =
                new OperationPerformed(1, action, "ann", "called by phone", "push", handlerId, event.notificationId());

        sender(() -> Result.ACCEPTED).operated(operation);

        assertThat(message().status()).isEqualTo(status);
    }

    @Test
    void failedAttemptLeavesThePushPending() {
        PushRequested event = request();
        PushSender sender = sender(() -> {
            throw new GatewayException("503");
        });

        for (int attempt = 1; attempt <= 5; attempt++) {
            assertThatThrownBy(() -> sender.send(event)).isInstanceOf(GatewayException.class);
        }

        assertThat(message().status()).isEqualTo("PENDING");
        assertThat(message().attempts()).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({"DEVICE_GONE, the device is not registered any more, false", ", 400, true"})
    void answerThatIsFinalIsNotAskedForAgain(Result answer, String failure, boolean deviceStays) {
        PushRequested event = request();
        PushSender sender = sender(() -> {
            if (answer == null) {
                throw new NonRetryableException("400");
            }
            return answer;
        });

        sender.send(event);
        sender.send(event);

        assertThat(message().status()).isEqualTo("FAILED");
        assertThat(message().failure()).isEqualTo(failure);
        assertThat(sends).hasValue(1);
        assertThat(devices.find(user).isPresent()).isEqualTo(deviceStays);
    }

    @Test
    void deviceRegisteredDuringTheAttemptIsKeptAndTried() {
        PushRequested event = request();

        assertThatThrownBy(() -> sender(() -> {
                            devices.register(new Device(user, "token-2", null));
                            return Result.DEVICE_GONE;
                        })
                        .send(event))
                .isInstanceOf(GatewayException.class);

        assertThat(devices.find(user))
                .hasValueSatisfying((registration) ->
                        assertThat(registration.device().token()).isEqualTo("token-2"));
        sender(() -> Result.ACCEPTED).send(event);
        assertThat(message().status()).isEqualTo("SENT");
    }

    private PushRequested request() {
        return new PushRequested(
                inbox.put(UUID.randomUUID(), user, "title", "body").orElseThrow());
    }

    private static DeadLetter deadLetter(PushRequested event, String code) {
        EventEnvelope envelope =
                Envelopes.of("push", event.notificationId().toString(), 1, "PushRequested", "", Map.of());
        return new DeadLetter(envelope, "push.send", code, null, 4);
    }

    private PushSender sender(Supplier<Result> answer) {
        PushGateway gateway = new PushGateway() {
            @Override
            public void check(Device device) {}

            @Override
            public Result send(PushMessage message, Device device) {
                sends.incrementAndGet();
                return answer.get();
            }
        };
        return new PushSender(inbox, devices, gateway);
    }

    private InboxMessage message() {
        return inbox.of(user).get(0);
    }
}
