package dev.outbox.sample.trading;

import java.math.BigDecimal;

/**
 * Execution of an order or of a part of it, as the exchange reports it.
 *
 * @param identifier the client's id of the order
 * @param fillId the exchange's id of the execution, unique within the order
 * @param exchangeOrderId the exchange's id of the order
 * @param volume the executed volume
 */
public record Fill(String identifier, String fillId, String exchangeOrderId, BigDecimal volume) {

    /** Creates a fill. */
    public Fill {
        if (volume.signum() <= 0) {
            throw new IllegalArgumentException("the volume of fill " + fillId + " must be positive, not " + volume);
        }
    }
}
