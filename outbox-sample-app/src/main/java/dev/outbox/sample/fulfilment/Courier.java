package dev.outbox.sample.fulfilment;

import java.util.UUID;

/** Port to a courier service. */
public interface Courier {

    /**
     * Books a parcel once per key, outside any transaction. After a failure the parcel may be booked; the call is repeated under the same
     * key.
     *
     * @param key the id of the event, the same for each attempt
     * @param orderId the order
     * @throws dev.outbox.NonRetryableException if no attempt can succeed
     * @throws dev.outbox.RetryAfterException if the courier named the time of the next attempt
     * @throws RuntimeException if the courier did not confirm the parcel, so that a retry may succeed
     */
    void book(UUID key, String orderId);
}
