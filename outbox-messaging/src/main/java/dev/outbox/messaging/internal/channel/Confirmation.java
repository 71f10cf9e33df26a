package dev.outbox.messaging.internal.channel;

/** How a channel confirms that a message is delivered. */
public enum Confirmation {
    /** The channel returns from its send method after the hand-over. */
    SYNCHRONOUS,
    /** A message on another channel acknowledges the hand-over. */
    ACKNOWLEDGEMENT
}
