package dev.outbox.sample.docs;

import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.springframework.transaction.annotation.Transactional;

/** The code of the README. */
class FirstPage {

    private final OutboxPublisher outbox;
    private final List<String> grants = new ArrayList<>();

    FirstPage(OutboxPublisher outbox) {
        this.outbox = outbox;
    }

    record Subscription(UUID id, String guildId, String planCode) {}

    @Transactional
    Subscription start(String guildId, String planCode) {
        UUID id = UUID.randomUUID();
        Subscription subscription = new Subscription(id, guildId, planCode);
        SubscriptionStarted event = new SubscriptionStarted(id, guildId, planCode);
        outbox.publish("subscription", id.toString(), event);
        return subscription;
    }

    @Transactional
    @OutboxHandler(id = "licensing.grant")
    void grant(SubscriptionStarted event) {
        grants.add(event.guildId());
    }
}
