package dev.outbox.sample.billing;

import java.util.UUID;
import org.springframework.stereotype.Service;

/**
 * Opens a charge, calls the bank outside any transaction, and books the answer. After a crash it repeats an open charge under the same
 * id.
 */
@Service
final class Charging {

    private final Subscriptions subscriptions;
    private final Ledger ledger;
    private final Bank bank;

    Charging(Subscriptions subscriptions, Ledger ledger, Bank bank) {
        this.subscriptions = subscriptions;
        this.ledger = ledger;
        this.bank = bank;
    }

    /** Charges a subscription, unless it is over. */
    Subscription charge(UUID subscriptionId) {
        Subscription subscription = subscriptions.find(subscriptionId);
        if (!subscription.isChargeable()) {
            return subscription;
        }
        Charge charge = ledger.open(subscriptionId);
        return bank.collect(charge, subscription.planToCharge()) ? ledger.paid(charge) : ledger.declined(charge);
    }
}
