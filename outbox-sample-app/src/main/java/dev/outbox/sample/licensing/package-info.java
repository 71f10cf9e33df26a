/** Grants guilds what their subscriptions allow, and takes it away again. */
@NullMarked
package dev.outbox.sample.licensing;

import org.jspecify.annotations.NullMarked;
