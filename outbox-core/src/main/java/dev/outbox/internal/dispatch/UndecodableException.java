package dev.outbox.internal.dispatch;

import dev.outbox.internal.failure.Failure;

/** The payload does not fit the handler's class, and never will. */
final class UndecodableException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String code;

    private UndecodableException(String code, String message) {
        super(message);
        this.code = code;
    }

    /** Payload that Jackson cannot read as the class. */
    static UndecodableException unreadable(String message) {
        return new UndecodableException("UNDECODABLE_PAYLOAD", message);
    }

    /** Payload that Jackson can read as the class, but that was written for another one. */
    static UndecodableException mismatch(String message) {
        return new UndecodableException("PAYLOAD_MISMATCH", message);
    }

    Failure failure() {
        return new Failure(code, String.valueOf(getMessage()));
    }
}
