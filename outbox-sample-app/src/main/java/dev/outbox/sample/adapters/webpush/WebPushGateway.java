package dev.outbox.sample.adapters.webpush;

import com.interaso.webpush.WebPush;
import com.interaso.webpush.WebPush.Urgency;
import dev.outbox.NonRetryableException;
import dev.outbox.sample.http.Answer;
import dev.outbox.sample.http.GatewayClient;
import dev.outbox.sample.push.Device;
import dev.outbox.sample.push.Device.Subscription;
import dev.outbox.sample.push.PushGateway;
import dev.outbox.sample.push.PushMessage;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import tools.jackson.databind.json.JsonMapper;

/** Push services of browsers (RFC 8030). */
final class WebPushGateway implements PushGateway {

    /** What every push service must accept, less header, padding delimiter and authentication tag. */
    private static final int MAX_CONTENT = 4096 - 86 - 1 - 16;

    private static final int POINT_LENGTH = 65;
    private static final int AUTH_LENGTH = 16;

    private final PushServices services;
    private final WebPush webPush;
    private final Duration timeToLive;
    private final GatewayClient http;
    private final JsonMapper json;

    WebPushGateway(PushServices services, WebPush webPush, Duration timeToLive, GatewayClient http, JsonMapper json) {
        this.services = services;
        this.webPush = webPush;
        this.timeToLive = timeToLive;
        this.http = http;
        this.json = json;
    }

    /** Encrypts an empty message: the encryption refuses a key that is no point of the curve. */
    @Override
    public void check(Device device) {
        encrypt(new byte[0], subscription(device));
    }

    @Override
    public Result send(PushMessage message, Device device) {
        Answer answer;
        try {
            Subscription subscription = subscription(device);
            byte[] body = encrypt(content(message), subscription);
            answer = http.post(subscription.endpoint(), headers(message, subscription), body);
        } catch (IllegalArgumentException ex) {
            throw new NonRetryableException("the message cannot be sent over Web Push: " + ex.getMessage(), ex);
        }
        if (answer.status() == 404 || answer.status() == 410) {
            return Result.DEVICE_GONE;
        }
        if (!answer.isSuccess()) {
            throw answer.failure("");
        }
        return Result.ACCEPTED;
    }

    private Subscription subscription(Device device) {
        Subscription subscription = device.subscription();
        if (subscription == null) {
            throw new IllegalArgumentException("a device needs a subscription of Web Push");
        }
        if (!services.contain(subscription.endpoint())) {
            throw new IllegalArgumentException("the endpoint does not belong to a known push service");
        }
        return subscription;
    }

    private byte[] content(PushMessage message) {
        byte[] content = json.writeValueAsBytes(
                Map.<String, Object>of("id", message.id(), "title", message.title(), "body", message.body()));
        if (content.length > MAX_CONTENT) {
            throw new IllegalArgumentException(
                    "a message has at most %d bytes: %d".formatted(MAX_CONTENT, content.length));
        }
        return content;
    }

    private byte[] encrypt(byte[] content, Subscription subscription) {
        try {
            byte[] point = Base64.getUrlDecoder().decode(subscription.keys().p256dh());
            byte[] auth = Base64.getUrlDecoder().decode(subscription.keys().auth());
            if (point.length != POINT_LENGTH || auth.length != AUTH_LENGTH) {
                throw new IllegalArgumentException("a key has another length");
            }
            return webPush.getBody(content, point, auth);
        } catch (Exception ex) { // Kotlin throws checked exceptions that it does not declare.
            throw new IllegalArgumentException("p256dh and auth are not the keys of a subscription in base64url", ex);
        }
    }

    /** The topic replaces an earlier copy of the message that the push service still keeps. */
    private HttpHeaders headers(PushMessage message, Subscription subscription) {
        HttpHeaders headers = new HttpHeaders();
        webPush.getHeaders(
                        subscription.endpoint().toString(),
                        Math.toIntExact(timeToLive.toSeconds()),
                        message.id().toString().replace("-", ""),
                        Urgency.Normal)
                .forEach(headers::set);
        return headers;
    }
}
