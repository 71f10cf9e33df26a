package dev.outbox.sample.fulfilment;

import java.util.UUID;

/** Whoever carries parcels, in a system of its own. */
interface Courier {

    /**
     * Books a parcel, once for a key, however often it is asked to.
     *
     * @throws CourierUnreachableException if nothing was asked
     * @throws CourierTimeoutException if no answer came: the parcel may have been booked, or not
     */
    void book(UUID key, String orderId);

    /** Nothing could be asked, so nothing was done. */
    final class CourierUnreachableException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        CourierUnreachableException() {
            super("the courier cannot be reached");
        }
    }

    /** No answer came in time, which says nothing about what was done. */
    final class CourierTimeoutException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        CourierTimeoutException(String orderId) {
            super("the courier has not answered for order " + orderId);
        }
    }
}
