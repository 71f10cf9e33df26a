/** Notifications of what the outbox does. */
@NullMarked
package dev.outbox.listener;

import org.jspecify.annotations.NullMarked;
