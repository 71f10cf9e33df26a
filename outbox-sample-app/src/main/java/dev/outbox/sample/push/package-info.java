/** Stores the messages of users in inboxes, and also pushes them to phones. */
@NullMarked
package dev.outbox.sample.push;

import org.jspecify.annotations.NullMarked;
