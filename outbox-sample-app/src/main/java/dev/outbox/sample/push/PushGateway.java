package dev.outbox.sample.push;

/** What brings messages to phones. It may lose them: the inbox does not. */
interface PushGateway {

    /**
     * Sends a message.
     *
     * @return whether the phone is still registered; if not, no attempt will ever reach it
     * @throws GatewayException if the gateway has not taken the message: to be tried again
     */
    boolean send(InboxMessage message);

    /** The gateway has not taken a message. */
    final class GatewayException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        GatewayException(String message) {
            super(message);
        }
    }
}
