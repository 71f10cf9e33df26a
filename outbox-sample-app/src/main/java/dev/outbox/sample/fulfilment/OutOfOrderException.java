package dev.outbox.sample.fulfilment;

import dev.outbox.EventEnvelope;

/** An earlier event of the aggregate is missing. A later attempt may find the gap closed. */
final class OutOfOrderException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    OutOfOrderException(EventEnvelope event, long lastSeq) {
        super(event + " is held back: the last one processed is #" + lastSeq);
    }
}
