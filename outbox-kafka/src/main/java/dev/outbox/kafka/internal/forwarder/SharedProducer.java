package dev.outbox.kafka.internal.forwarder;

import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** Producer of all routes, created on first use and replaced when it is broken. Safe for use by many threads. */
public final class SharedProducer implements AutoCloseable {

    private final Supplier<Producer<Object, Object>> factory;
    private final Runnable reset;
    private @Nullable Producer<Object, Object> current;
    private boolean closed;

    /** Creates the producers of routes. A test kit has one that records. */
    @FunctionalInterface
    public interface Factory {

        /** Returns a producer that connects on its first use. */
        SharedProducer create(ProducerSettings settings);
    }

    /**
     * Creates the holder of a producer.
     *
     * @param factory creates a producer
     * @param reset closes the producer that was created last
     */
    public SharedProducer(Supplier<Producer<Object, Object>> factory, Runnable reset) {
        this.factory = factory;
        this.reset = reset;
    }

    /** Permits the use of the producer again after it was closed. */
    public synchronized void open() {
        closed = false;
    }

    synchronized Producer<Object, Object> get() {
        if (closed) {
            throw new KafkaException("the producer is closed, because the application stops");
        }
        Producer<Object, Object> producer = current;
        if (producer == null) {
            producer = factory.get();
            current = producer;
        }
        return producer;
    }

    /** Closes a producer that does not work any more, unless another thread has replaced it. */
    synchronized void discard(Producer<Object, Object> broken) {
        if (current == broken) {
            closeCurrent();
        }
    }

    /** Closes the producer, so that the next use creates another. */
    synchronized void replace() {
        closeCurrent();
    }

    synchronized boolean isCurrent(Producer<Object, Object> producer) {
        return current == producer;
    }

    /** Closes the producer. A handler that still runs gets no other one. */
    @Override
    public synchronized void close() {
        closed = true;
        closeCurrent();
    }

    private void closeCurrent() {
        if (current != null) {
            current = null;
            reset.run();
        }
    }
}
