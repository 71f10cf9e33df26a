/** Sends webhooks with the signature of the Standard Webhooks specification. */
@NullMarked
package dev.outbox.sample.webhook;

import org.jspecify.annotations.NullMarked;
