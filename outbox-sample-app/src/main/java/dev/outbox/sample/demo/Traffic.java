package dev.outbox.sample.demo;

/** What goes on in a context all day long: each context that has some provides a bean. */
public interface Traffic {

    /** Makes the next change, in a transaction of its own that publishes one event. Several threads may do so at the same time. */
    void next();
}
