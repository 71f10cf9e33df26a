package dev.outbox;

/** Kinds of code that a {@link HandlerDefinition} runs, beside a {@link BatchHandler}. */
public final class HandlerCode {

    private HandlerCode() {}

    /** Code that handles an envelope; an exception fails the attempt. */
    @FunctionalInterface
    public interface EnvelopeHandler {
        void handle(EventEnvelope envelope) throws Exception;
    }

    /**
     * Code that handles a decoded payload and its envelope; an exception fails the attempt.
     *
     * @param <T> the payload's class
     */
    @FunctionalInterface
    public interface PayloadHandler<T> {
        void handle(T payload, EventEnvelope envelope) throws Exception;
    }

    /**
     * Code that handles a decoded payload, its envelope and the context of the attempt; an exception fails the attempt.
     *
     * @param <T> the payload's class
     */
    @FunctionalInterface
    public interface ContextHandler<T> {
        void handle(T payload, EventEnvelope envelope, EventContext context) throws Exception;
    }

    /** Code that handles a dead letter in a transaction; an exception rolls it back and repeats the call later. */
    @FunctionalInterface
    public interface DeadLetterHandler {
        void handle(DeadLetter deadLetter) throws Exception;
    }
}
