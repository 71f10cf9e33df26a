package dev.outbox.console.autoconfigure;

/** The console is enabled in an application that cannot or must not serve it. */
final class ConsoleConfigurationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    ConsoleConfigurationException(String message, String action) {
        super(message);
        this.action = action;
    }

    /** What to change. */
    String action() {
        return action;
    }
}
