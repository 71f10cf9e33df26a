package dev.outbox.spring.autoconfigure;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.transaction.annotation.Transactional;

/** The domain of the tests: subscriptions start and are paid for. */
class Subscriptions {

    record SubscriptionStarted(String plan) {}

    record PaymentSucceeded(int amount) {}

    private final OutboxPublisher outbox;

    Subscriptions(OutboxPublisher outbox) {
        this.outbox = outbox;
    }

    @Transactional
    public EventEnvelope start(String id, String plan) {
        return outbox.publish("subscription", id, new SubscriptionStarted(plan));
    }

    static class Licensing {

        final List<String> plans = new CopyOnWriteArrayList<>();

        @OutboxHandler(id = "licensing.extend")
        void extend(SubscriptionStarted event, EventEnvelope envelope) {
            plans.add(envelope.aggregateId() + ":" + event.plan());
        }
    }
}
