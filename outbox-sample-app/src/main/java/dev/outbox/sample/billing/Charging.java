package dev.outbox.sample.billing;

import dev.outbox.OutboxHandler;
import dev.outbox.RetryAfterException;
import java.util.Optional;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.web.server.ResponseStatusException;

/** Claims a charge, calls the bank outside any transaction, and books the answer. */
@Service
class Charging {

    private final Subscriptions subscriptions;
    private final PlanChanges planChanges;
    private final Charges charges;
    private final Ledger ledger;
    private final Bank bank;

    Charging(Subscriptions subscriptions, PlanChanges planChanges, Charges charges, Ledger ledger, Bank bank) {
        this.subscriptions = subscriptions;
        this.planChanges = planChanges;
        this.charges = charges;
        this.ledger = ledger;
        this.bank = bank;
    }

    /** Charges a subscription if it is due, and no other worker has claimed it. */
    Subscription charge(UUID subscriptionId) {
        return charges.claim(subscriptionId).map(this::collect).orElseGet(() -> subscriptions.find(subscriptionId));
    }

    /** Charges again after a failed payment. While the bank does not answer, the outbox redelivers the event, which repeats the charge. */
    @OutboxHandler(id = "billing.payment-retry")
    void retry(PaymentRetryDue retry) {
        charges.claim(retry).ifPresent(this::book);
    }

    /** Collects a claimed charge for a client. */
    Subscription collect(Charge charge) {
        try {
            return book(charge);
        } catch (RetryAfterException ex) {
            throw new BankException(charge, String.valueOf(ex.getMessage()));
        }
    }

    /**
     * Collects a claimed charge and books the answer. After a crash, the next claim repeats it under the same id. If it was canceled
     * meanwhile and its outcome is unknown, the renewals cancel it again.
     */
    private Subscription book(Charge charge) {
        try {
            return bank.collect(charge) ? ledger.paid(charge) : ledger.declined(charge);
        } catch (RetryAfterException ex) {
            charges.postpone(charge, ex.delay());
            charges.reopen(charge);
            throw ex;
        } catch (BankException ex) {
            charges.reopen(charge);
            throw ex;
        }
    }

    /** Changes a plan. A higher one applies as soon as the bank has collected the difference. */
    Subscription changePlan(UUID id, Plan plan) {
        Optional<Charge> difference = planChanges.change(id, plan);
        Subscription changed = difference.map(this::collect).orElseGet(() -> subscriptions.find(id));
        if (difference.isPresent() && !changed.planCode().equals(plan.code())) {
            throw new ResponseStatusException(
                    HttpStatus.PAYMENT_REQUIRED,
                    "the difference was not paid, so subscription " + id + " keeps the plan " + changed.planCode());
        }
        return changed;
    }

    /** Cancels a charge whose subscription has ended. */
    void cancel(Charge charge) {
        bank.cancel(charge);
        charges.close(charge, "canceled");
    }
}
