/** Sends pushes to the push services of browsers: Web Push with VAPID and message encryption. */
@NullMarked
package dev.outbox.sample.adapters.webpush;

import org.jspecify.annotations.NullMarked;
