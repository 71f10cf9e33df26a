package dev.outbox.internal.fault;

/**
 * Receives every step that a process reaches. A test puts one provider on the class path, which the {@link java.util.ServiceLoader} finds
 * once; production has none.
 */
@FunctionalInterface
public interface FaultHook {

    /** Notes that the calling thread has reached a step. Returns when the thread may go on. */
    void reached(FaultPoint point);
}
