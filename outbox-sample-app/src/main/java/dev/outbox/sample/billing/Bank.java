package dev.outbox.sample.billing;

/** Bank that charges billing keys. */
interface Bank {

    /**
     * Collects a charge once, however often the method is called.
     *
     * @return {@code true} if the charge was paid, {@code false} if it was declined
     */
    boolean collect(Charge charge, String planCode);
}
