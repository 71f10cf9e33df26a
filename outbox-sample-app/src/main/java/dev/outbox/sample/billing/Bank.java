package dev.outbox.sample.billing;

/** Where the money comes from. */
interface Bank {

    /**
     * Collects the money for a charge, once, however often it is asked to.
     *
     * @return whether it was paid; otherwise it was declined
     */
    boolean collect(Charge charge, String planCode);
}
