/** Tells people what has happened. */
@NullMarked
package dev.outbox.sample.notification;

import org.jspecify.annotations.NullMarked;
