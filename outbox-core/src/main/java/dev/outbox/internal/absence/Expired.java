package dev.outbox.internal.absence;

import org.jspecify.annotations.Nullable;

/**
 * Outcome of an expiry by command: whether the handler was ever registered, the running instance that has it, the registered handler that
 * has its id as an alias, whether its registration was expired, and how many of its deliveries became dead letters.
 */
public record Expired(
        boolean known, @Nullable String instance, @Nullable String successor, boolean changed, long dead) {

    /**
     * The same of a subscription: whether the handler is registered, whether a running instance has the subscription, whether one was expired,
     * and how many deliveries of the handler became dead letters.
     */
    public record OfSubscription(boolean known, boolean renewed, boolean changed, long dead) {

        OfSubscription withDead(long deliveries) {
            return new OfSubscription(known, renewed, changed, deliveries);
        }
    }

    Expired withDead(long deliveries) {
        return new Expired(known, instance, successor, changed, deliveries);
    }
}
