package dev.outbox.sample.billing;

/**
 * Port to a bank or payment provider that charges billing keys. A bean of this type replaces the simulated bank if
 * {@code sample.billing.bank} is neither {@code simulated} nor {@code toss}.
 *
 * <p>{@link Charge#id()} is the idempotency key of both methods. Billing calls them outside any transaction, more than once for one charge,
 * and possibly at the same time in several processes. A call should time out well before the ten minutes after which another worker repeats
 * the charge.
 */
public interface Bank {

    /**
     * Collects a charge. The bank answers a repeated call with the first answer, and takes the money once.
     *
     * @param charge the charge to collect
     * @return {@code true} if the charge was paid, {@code false} if it was declined or canceled
     * @throws BankException if the outcome is unknown, for example after a timeout; billing then repeats the charge
     * @throws dev.outbox.RetryAfterException if the bank named the time of the next attempt
     */
    boolean collect(Charge charge);

    /**
     * Cancels a charge, because its subscription ended before the answer was booked. The bank refunds the money if it has collected any, and
     * declines later calls of {@link #collect} if it can; otherwise billing cancels again. Repeated calls change nothing.
     *
     * @param charge the charge to cancel
     * @throws BankException if the outcome is unknown; billing then repeats the call
     */
    void cancel(Charge charge);
}
