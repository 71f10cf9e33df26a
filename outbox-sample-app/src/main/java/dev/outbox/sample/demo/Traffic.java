package dev.outbox.sample.demo;

/** Typical traffic of a context. Each context with traffic provides a bean. */
public interface Traffic {

    /** Makes the next change in its own transaction, which publishes one event. Thread-safe. */
    void next();
}
