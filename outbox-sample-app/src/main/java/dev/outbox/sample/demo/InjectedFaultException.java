package dev.outbox.sample.demo;

/** Injected failure of a handler. */
final class InjectedFaultException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    InjectedFaultException(String message) {
        super(message);
    }
}
