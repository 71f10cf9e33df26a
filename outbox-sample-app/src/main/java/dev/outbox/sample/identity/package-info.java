/** Knows the users and their sessions. */
@NullMarked
package dev.outbox.sample.identity;

import org.jspecify.annotations.NullMarked;
