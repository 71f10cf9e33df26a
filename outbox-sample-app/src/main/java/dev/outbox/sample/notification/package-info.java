/** Sends notifications. */
@NullMarked
package dev.outbox.sample.notification;

import org.jspecify.annotations.NullMarked;
