package dev.outbox.sample.demo;

/**
 * Fault of a handler: calls take longer, hang, or fail before the handler starts.
 *
 * @param handlerId the handler
 * @param failPercent share of the calls that fail, from 0 to 100
 * @param slowMillis additional milliseconds of each call
 * @param hang whether a call hangs until it is interrupted or the fault is removed
 */
record HandlerFault(String handlerId, int failPercent, int slowMillis, boolean hang) {

    boolean isNone() {
        return failPercent == 0 && slowMillis == 0 && !hang;
    }
}
