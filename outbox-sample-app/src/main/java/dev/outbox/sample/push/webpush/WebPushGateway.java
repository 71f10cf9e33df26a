package dev.outbox.sample.push.webpush;

import dev.outbox.NonRetryableException;
import dev.outbox.sample.http.Answer;
import dev.outbox.sample.http.GatewayClient;
import dev.outbox.sample.push.Device;
import dev.outbox.sample.push.Device.Subscription;
import dev.outbox.sample.push.PushGateway;
import dev.outbox.sample.push.PushMessage;
import java.time.Duration;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/** Push services of browsers (RFC 8030). */
final class WebPushGateway implements PushGateway {

    private final PushServices services;
    private final Vapid vapid;
    private final Duration timeToLive;
    private final GatewayClient http;
    private final JsonMapper json;
    private final MessageEncryption encryption = new MessageEncryption();

    WebPushGateway(PushServices services, Vapid vapid, Duration timeToLive, GatewayClient http, JsonMapper json) {
        this.services = services;
        this.vapid = vapid;
        this.timeToLive = timeToLive;
        this.http = http;
        this.json = json;
    }

    @Override
    public void check(Device device) {
        keys(subscription(device));
    }

    @Override
    public Result send(PushMessage message, Device device) {
        Answer answer;
        try {
            Subscription subscription = subscription(device);
            byte[] body = encryption.encrypt(content(message), keys(subscription));
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

    private static Subscription subscription(Device device) {
        Subscription subscription = device.subscription();
        if (subscription == null) {
            throw new IllegalArgumentException("a device needs a subscription of Web Push");
        }
        return subscription;
    }

    private SubscriptionKeys keys(Subscription subscription) {
        if (!services.contain(subscription.endpoint())) {
            throw new IllegalArgumentException("the endpoint does not belong to a known push service");
        }
        return new SubscriptionKeys(subscription);
    }

    private byte[] content(PushMessage message) {
        return json.writeValueAsBytes(
                Map.<String, Object>of("id", message.id(), "title", message.title(), "body", message.body()));
    }

    /** The topic replaces an earlier copy of the message that the push service still keeps. */
    private HttpHeaders headers(PushMessage message, Subscription subscription) {
        HttpHeaders headers = new HttpHeaders();
        headers.set(HttpHeaders.AUTHORIZATION, vapid.authorization(subscription.endpoint()));
        headers.set(HttpHeaders.CONTENT_ENCODING, "aes128gcm");
        headers.setContentType(MediaType.APPLICATION_OCTET_STREAM);
        headers.set("TTL", Long.toString(timeToLive.toSeconds()));
        headers.set("Urgency", "normal");
        headers.set("Topic", message.id().toString().replace("-", ""));
        return headers;
    }
}
