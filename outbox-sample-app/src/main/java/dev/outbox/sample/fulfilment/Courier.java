package dev.outbox.sample.fulfilment;

import java.util.UUID;

/** Courier service, which is an external system. */
interface Courier {

    /**
     * Books a parcel once per key.
     *
     * @throws CourierUnreachableException if nothing was sent
     * @throws CourierTimeoutException if no answer arrived, so that it is unknown whether the parcel was booked
     */
    void book(UUID key, String orderId);

    /** The courier is unreachable, and nothing was booked. */
    final class CourierUnreachableException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        CourierUnreachableException() {
            super("the courier cannot be reached");
        }
    }

    /** No answer arrived in time, and the parcel may have been booked. */
    final class CourierTimeoutException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        CourierTimeoutException(String orderId) {
            super("the courier has not answered for order " + orderId);
        }
    }
}
