package dev.outbox.sample.demo;

/**
 * What is wrong with a handler: each call takes longer, or never ends, and some fail before the handler has done anything.
 *
 * @param handlerId the handler
 * @param failPercent share of the calls that fail, from 0 to 100
 * @param slowMillis milliseconds that each call takes longer
 * @param hang whether a call ends only when it is interrupted, or when this fault is over
 */
record HandlerFault(String handlerId, int failPercent, int slowMillis, boolean hang) {

    boolean isNone() {
        return failPercent == 0 && slowMillis == 0 && !hang;
    }
}
