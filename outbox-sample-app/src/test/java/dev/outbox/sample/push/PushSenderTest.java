package dev.outbox.sample.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.DeadLetter;
import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.PushEvent.PushRequested;
import dev.outbox.sample.events.SystemEvent.OperationPerformed;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.push.Devices.Registration;
import dev.outbox.sample.push.Inbox.Delivery;
import dev.outbox.sample.push.PushGateway.Result;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
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
    private final EventContext held = lease(() -> false);

    @Autowired
    private Inbox inbox;

    @Autowired
    private Devices devices;

    @BeforeEach
    void register() {
        devices.register("phone", new Device(user, "token-1", null));
    }

    @Test
    void whatWasSentIsNotSentAgain() {
        PushRequested event = request();
        PushSender sender = sender(() -> Result.ACCEPTED);

        sender.send(event, held);
        sender.send(event, held);

        assertThat(message().status()).isEqualTo("SENT");
        assertThat(sends).hasValue(1);
    }

    @Test
    void suspendedWorkerLeavesTheNextDeviceToAnother() {
        devices.register("tablet", new Device(user, "token-2", null));
        PushRequested event = request();
        PushSender sender = sender(() -> Result.ACCEPTED);

        assertThatThrownBy(() -> sender.send(event, lease(() -> sends.get() > 0)))
                .hasMessageContaining("its lease is lost");
        assertThat(sends).hasValue(1);
        assertThat(message().status()).isEqualTo("PENDING");
        sender.send(event, held);

        assertThat(sends).hasValue(2);
        assertThat(message().status()).isEqualTo("SENT");
    }

    @Test
    void abandonedPushIsNotSentAgain() {
        PushRequested event = request();
        PushSender sender = sender(() -> Result.ACCEPTED);

        sender.gaveUp(deadLetter(event, "HANDLER_TIMEOUT"));
        sender.send(event, held);

        assertThat(message().status()).isEqualTo("FAILED");
        assertThat(message().failure()).isEqualTo("HANDLER_TIMEOUT");
        assertThat(sends).hasValue(0);
    }

    @Test
    void sentPushStaysSentIfItsDeliveryDies() {
        PushRequested event = request();
        PushSender sender = sender(() -> Result.ACCEPTED);

        sender.send(event, held);
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
            assertThatThrownBy(() -> sender.send(event, held)).isInstanceOf(GatewayException.class);
        }

        assertThat(message().status()).isEqualTo("PENDING");
        assertThat(message().attempts()).isEqualTo(5);
    }

    @Test
    void unregisteredDeviceIsAbandonedAndRemoved() {
        PushRequested event = request();
        PushSender sender = sender(() -> Result.DEVICE_GONE);

        sender.send(event, held);
        sender.send(event, held);

        assertThat(message().status()).isEqualTo("FAILED");
        assertThat(message().failure()).isEqualTo("the device is not registered any more");
        assertThat(sends).hasValue(1);
        assertThat(registered()).isEmpty();
    }

    @Test
    void deviceRegisteredDuringTheAttemptIsKeptAndTried() {
        PushRequested event = request();

        assertThatThrownBy(() -> sender(() -> {
                            devices.register("phone", new Device(user, "token-2", null));
                            return Result.DEVICE_GONE;
                        })
                        .send(event, held))
                .isInstanceOf(GatewayException.class);

        assertThat(registered())
                .singleElement()
                .satisfies((registration) ->
                        assertThat(registration.device().token()).isEqualTo("token-2"));
        sender(() -> Result.ACCEPTED).send(event, held);
        assertThat(message().status()).isEqualTo("SENT");
    }

    @Test
    void userWithoutDeviceHasTheMessageAndAFailedPush() {
        devices.unregister(user, "phone");

        sender(() -> Result.ACCEPTED).send(request(), held);

        assertThat(message().status()).isEqualTo("FAILED");
        assertThat(message().failure()).isEqualTo("the user has no device");
        assertThat(sends).hasValue(0);
    }

    @Test
    void everyDeviceHasItsOwnOutcome() {
        devices.register("tablet", new Device(user, "token-2", null));
        devices.register("watch", new Device(user, "token-3", null));
        PushRequested event = request();
        Map<String, Supplier<Result>> answers = new HashMap<>(Map.of(
                "token-1", () -> Result.ACCEPTED,
                "token-2",
                        () -> {
                            throw new GatewayException("503");
                        },
                "token-3",
                        () -> {
                            throw new NonRetryableException("400");
                        }));
        List<String> sent = new ArrayList<>();
        PushSender sender = sender((device) -> {
            sent.add(device.token());
            return answers.get(device.token()).get();
        });

        assertThatThrownBy(() -> sender.send(event, held)).isInstanceOf(GatewayException.class);
        assertThat(message().status()).isEqualTo("PENDING");
        answers.put("token-2", () -> Result.ACCEPTED);
        sender.send(event, held);

        assertThat(message().status()).isEqualTo("SENT");
        assertThat(sent).containsExactly("token-1", "token-2", "token-3", "token-2");
        assertThat(inbox.deliveries(event.notificationId()))
                .containsExactly(
                        new Delivery("phone", null), new Delivery("tablet", null), new Delivery("watch", "400"));
    }

    @Test
    void deviceWithoutAnswerIsTriedLast() {
        devices.register("tablet", new Device(user, "token-2", null));
        List<String> sent = new ArrayList<>();
        PushSender sender = sender((device) -> {
            sent.add(device.token());
            if ("token-1".equals(device.token())) {
                throw new GatewayException("did not answer");
            }
            return Result.ACCEPTED;
        });
        PushRequested first = request();
        PushRequested second = request();

        assertThatThrownBy(() -> sender.send(first, held)).isInstanceOf(GatewayException.class);
        assertThatThrownBy(() -> sender.send(second, held)).isInstanceOf(GatewayException.class);

        assertThat(sent).containsExactly("token-1", "token-2", "token-2", "token-1");
    }

    @Test
    void deviceThatIsRegisteredAgainReceivesAMessageOnce() {
        devices.register("tablet", new Device(user, "token-2", null));
        PushRequested event = request();
        List<String> sent = new ArrayList<>();
        PushSender sender = sender((device) -> {
            sent.add(device.token());
            if ("token-2".equals(device.token())) {
                throw new GatewayException("503");
            }
            return Result.ACCEPTED;
        });
        assertThatThrownBy(() -> sender.send(event, held)).isInstanceOf(GatewayException.class);

        devices.register("phone", new Device(user, "token-3", null));
        assertThatThrownBy(() -> sender.send(event, held)).isInstanceOf(GatewayException.class);

        assertThat(sent).containsExactly("token-1", "token-2", "token-2");
    }

    @Test
    void messageThatReachedOneDeviceIsSentIfItsDeliveryDies() {
        devices.register("tablet", new Device(user, "token-2", null));
        PushRequested event = request();
        PushSender sender = sender((device) -> {
            if ("token-2".equals(device.token())) {
                throw new GatewayException("503");
            }
            return Result.ACCEPTED;
        });

        assertThatThrownBy(() -> sender.send(event, held)).isInstanceOf(GatewayException.class);
        sender.gaveUp(deadLetter(event, "GatewayException"));

        assertThat(message().status()).isEqualTo("SENT");
    }

    private List<Registration> registered() {
        return devices.awaiting(new InboxMessage(UUID.randomUUID(), user, "", "", "PENDING", null, 0, Instant.EPOCH));
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
        return sender((device) -> answer.get());
    }

    private PushSender sender(Function<Device, Result> answer) {
        PushGateway gateway = new PushGateway() {
            @Override
            public void check(Device device) {}

            @Override
            public Result send(PushMessage message, Device device) {
                sends.incrementAndGet();
                return answer.apply(device);
            }
        };
        return new PushSender(inbox, devices, gateway);
    }

    private InboxMessage message() {
        return inbox.of(user).get(0);
    }

    private static EventContext lease(BooleanSupplier lost) {
        return new EventContext() {
            @Override
            public int attempt() {
                return 1;
            }

            @Override
            public boolean isLeaseLost() {
                return lost.getAsBoolean();
            }
        };
    }
}
