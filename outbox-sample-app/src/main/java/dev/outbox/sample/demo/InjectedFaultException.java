package dev.outbox.sample.demo;

/** A handler has failed because it was asked for. */
final class InjectedFaultException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    InjectedFaultException(String message) {
        super(message);
    }
}
