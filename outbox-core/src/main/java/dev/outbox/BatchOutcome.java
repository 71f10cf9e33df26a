package dev.outbox;

/** Receives the failures of single events of a batch. An event that is not reported has succeeded when the handler returns. Thread-safe. */
public interface BatchOutcome {

    /**
     * Fails an event. The later events of its aggregate in the batch then count as not handled: they are delivered again after it, without a
     * failed attempt. The retry policy applies to the exception as if a handler of single events had thrown it. Only the first failure of an
     * event counts.
     *
     * @param event an element of the batch, the same instance: a payload or an envelope
     * @param cause why it failed
     * @throws IllegalArgumentException if the batch does not contain the event
     */
    void failed(Object event, Throwable cause);
}
