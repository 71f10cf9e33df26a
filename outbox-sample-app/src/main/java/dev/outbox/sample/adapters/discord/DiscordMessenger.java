package dev.outbox.sample.adapters.discord;

import dev.outbox.sample.notification.Messenger;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.http.HttpMethod;

/** Messenger that sends direct messages on Discord, which drops a message whose nonce it has seen in the last minutes. */
final class DiscordMessenger implements Messenger {

    private static final int MAX_NONCE = 25;
    private static final int MAX_CONTENT = 2000;

    private final Discord discord;

    DiscordMessenger(Discord discord) {
        this.discord = discord;
    }

    @Override
    public void send(String recipient, String message, UUID idempotencyKey) {
        String channel = discord.call(HttpMethod.POST, Map.of("recipient_id", recipient), "users", "@me", "channels")
                .path("id")
                .asString();
        Map<String, Object> content = Map.of(
                "content",
                message.length() > MAX_CONTENT ? message.substring(0, MAX_CONTENT) : message,
                "nonce",
                idempotencyKey.toString().replace("-", "").substring(0, MAX_NONCE),
                "enforce_nonce",
                true,
                "allowed_mentions",
                Map.of("parse", List.of()));
        discord.call(HttpMethod.POST, content, "channels", channel, "messages");
    }
}
