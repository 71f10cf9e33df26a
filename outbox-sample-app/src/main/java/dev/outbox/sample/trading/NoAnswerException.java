package dev.outbox.sample.trading;

/** The exchange gave no usable answer, so the order may or may not exist. It must not be sent again without a check. */
public final class NoAnswerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public NoAnswerException(String message) {
        super(message);
    }
}
