package dev.outbox.sample.trading;

/** The exchange has not answered, or not in a way that says anything: the order may be there, or not. Never to be sent again blindly. */
public final class NoAnswerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public NoAnswerException(String message) {
        super(message);
    }
}
