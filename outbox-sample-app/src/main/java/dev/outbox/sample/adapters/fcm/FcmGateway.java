package dev.outbox.sample.adapters.fcm;

import dev.outbox.NonRetryableException;
import dev.outbox.sample.http.Answer;
import dev.outbox.sample.http.GatewayClient;
import dev.outbox.sample.push.Device;
import dev.outbox.sample.push.PushGateway;
import dev.outbox.sample.push.PushMessage;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Firebase Cloud Messaging over its HTTP v1 API. */
final class FcmGateway implements PushGateway {

    /** What FCM asks for if it is over quota and names no delay. */
    private static final Optional<Duration> QUOTA_DELAY = Optional.of(Duration.ofMinutes(1));

    private final URI messages;
    private final AccessTokens tokens;
    private final GatewayClient http;
    private final JsonMapper json;

    FcmGateway(URI messages, AccessTokens tokens, GatewayClient http, JsonMapper json) {
        this.messages = messages;
        this.tokens = tokens;
        this.http = http;
        this.json = json;
    }

    @Override
    public void check(Device device) {
        if (isBlank(device.token())) {
            throw new IllegalArgumentException("a device needs the registration token of FCM");
        }
    }

    @Override
    public Result send(PushMessage message, Device device) {
        if (isBlank(device.token())) {
            throw new NonRetryableException("the device was registered without a token of FCM");
        }
        byte[] body = json.writeValueAsBytes(Map.<String, Object>of("message", content(message, device)));
        String token = tokens.get();
        Answer answer = post(body, token);
        if (answer.status() == 401) {
            tokens.discard(token);
            answer = post(body, tokens.get());
        }
        return result(answer);
    }

    /** Devices show a message once, even if it is sent twice: the id replaces what they show already. */
    private static Map<String, Object> content(PushMessage message, Device device) {
        String id = message.id().toString();
        return Map.<String, Object>of(
                "token", String.valueOf(device.token()),
                "notification", Map.of("title", message.title(), "body", message.body()),
                "data", Map.of("notification_id", id),
                "android", Map.of("notification", Map.of("tag", id)),
                "apns", Map.of("headers", Map.of("apns-collapse-id", id)),
                "webpush", Map.of("notification", Map.of("tag", id)));
    }

    private Answer post(byte[] body, String token) {
        HttpHeaders headers = new HttpHeaders();
        headers.setContentType(MediaType.APPLICATION_JSON);
        headers.setBearerAuth(token);
        return http.post(messages, headers, body);
    }

    private static Result result(Answer answer) {
        if (answer.isSuccess()) {
            return Result.ACCEPTED;
        }
        String code = errorCode(answer);
        if (code.equals("UNREGISTERED")) {
            return Result.DEVICE_GONE;
        }
        throw answer.failure(code, answer.status() == 429 ? QUOTA_DELAY : Optional.empty());
    }

    /** Returns the error code of FCM, or the general status of the API if there is none. */
    private static String errorCode(Answer answer) {
        JsonNode error = answer.json().path("error");
        return error.path("details")
                .valueStream()
                .map((detail) -> detail.path("errorCode").asString(""))
                .filter((code) -> !code.isEmpty())
                .findFirst()
                .orElseGet(() -> error.path("status").asString(""));
    }

    private static boolean isBlank(@Nullable String token) {
        return token == null || token.isBlank();
    }
}
