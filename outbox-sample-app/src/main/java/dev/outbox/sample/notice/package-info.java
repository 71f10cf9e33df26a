/** Publishes notices. */
@NullMarked
package dev.outbox.sample.notice;

import org.jspecify.annotations.NullMarked;
