package dev.outbox.sample.adapters.fcm;

import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.push.Device;
import dev.outbox.sample.push.PushGateway.Result;
import dev.outbox.sample.push.PushMessage;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Sends to a server that speaks FCM's protocol. */
class FcmGatewayTest {

    private static final Clock CLOCK = Clock.fixed(Instant.parse("2030-01-01T12:00:00Z"), ZoneOffset.UTC);

    @RegisterExtension
    private static final FakeFcm fcm = new FakeFcm();

    private final PushMessage message = new PushMessage(UUID.randomUUID(), "Closed", "on Monday");
    private final Device device = new Device("ann", "registration-token", null);

    @BeforeEach
    void grantTokens() {
        fcm.grantTokens();
    }

    @Test
    void messageIsSentToTheDevice() {
        fcm.answerMessage(okJson("{\"name\": \"projects/umbra/messages/1\"}"));

        assertThat(send()).isEqualTo(Result.ACCEPTED);

        assertThat(fcm.messages()).singleElement().satisfies((request) -> {
            assertThat(request.getHeader("Authorization")).isEqualTo("Bearer token-1");
            JsonNode sent = FakeFcm.JSON.readTree(request.getBody()).path("message");
            assertThat(sent.path("token").asString()).isEqualTo("registration-token");
            assertThat(sent.at("/notification/title").asString()).isEqualTo("Closed");
            assertThat(sent.at("/notification/body").asString()).isEqualTo("on Monday");
            assertThat(sent.at("/android/notification/tag").asString())
                    .isEqualTo(message.id().toString());
        });
    }

    @Test
    void unregisteredDeviceIsGone() {
        fcm.answerMessage(FakeFcm.error(404, "UNREGISTERED"));

        assertThat(send()).isEqualTo(Result.DEVICE_GONE);
    }

    @ParameterizedTest
    @CsvSource({
        "400, INVALID_ARGUMENT,       INVALID_ARGUMENT",
        "403, SENDER_ID_MISMATCH,     SENDER_ID_MISMATCH",
        "401, THIRD_PARTY_AUTH_ERROR, THIRD_PARTY_AUTH_ERROR",
        "404, '',                     GENERAL_STATUS"
    })
    void refusedMessageIsNotRetried(int status, String code, String shown) {
        fcm.answerMessage(FakeFcm.error(status, code));

        assertThatThrownBy(this::send)
                .isInstanceOf(NonRetryableException.class)
                .hasMessage("FCM answered %d %s".formatted(status, shown));
    }

    @Test
    void exceededQuotaIsRetriedAfterAMinute() {
        fcm.answerMessage(FakeFcm.error(429, "QUOTA_EXCEEDED"));

        assertThatThrownBy(this::send)
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        (ex) -> assertThat(ex.delay()).isEqualTo(Duration.ofMinutes(1)));
    }

    @Test
    void failingGatewayIsRetried() {
        fcm.answerMessage(FakeFcm.error(503, "UNAVAILABLE"));

        assertThatThrownBy(this::send).isInstanceOf(GatewayException.class).hasMessage("FCM answered 503 UNAVAILABLE");
    }

    @Test
    void deviceNeedsAToken() {
        Device withoutToken = new Device("ann", null, null);
        FcmGateway gateway = fcm.gateway(CLOCK);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> gateway.check(withoutToken))
                .withMessage("a device needs the registration token of FCM");
        assertThatThrownBy(() -> gateway.send(message, withoutToken)).isInstanceOf(NonRetryableException.class);
    }

    private Result send() {
        return fcm.gateway(CLOCK).send(message, device);
    }
}
