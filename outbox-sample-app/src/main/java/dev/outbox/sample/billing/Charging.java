package dev.outbox.sample.billing;

import java.util.UUID;
import org.springframework.stereotype.Service;

/** Claims a charge, calls the bank outside any transaction, and books the answer. */
@Service
final class Charging {

    private final Subscriptions subscriptions;
    private final Charges charges;
    private final Ledger ledger;
    private final Bank bank;

    Charging(Subscriptions subscriptions, Charges charges, Ledger ledger, Bank bank) {
        this.subscriptions = subscriptions;
        this.charges = charges;
        this.ledger = ledger;
        this.bank = bank;
    }

    /** Charges a subscription if it is due, and no other worker has claimed it. */
    Subscription charge(UUID subscriptionId) {
        return charges.claim(subscriptionId).map(this::collect).orElseGet(() -> subscriptions.find(subscriptionId));
    }

    /** Collects a claimed charge. After a crash, the next claim repeats it under the same id. */
    Subscription collect(Charge charge) {
        return bank.collect(charge) ? ledger.paid(charge) : ledger.declined(charge);
    }

    /** Cancels a charge whose subscription has ended. */
    void cancel(Charge charge) {
        bank.cancel(charge);
        charges.close(charge, "canceled");
    }
}
