package dev.outbox.sample.push;

import java.util.UUID;

/**
 * Message for a device.
 *
 * @param id the id; the same in every attempt, so that a gateway or a device can recognize a duplicate
 * @param title the title
 * @param body the text
 */
public record PushMessage(UUID id, String title, String body) {}
