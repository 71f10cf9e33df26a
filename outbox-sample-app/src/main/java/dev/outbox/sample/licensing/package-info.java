/** Grants licenses according to subscriptions, and revokes them. */
@NullMarked
package dev.outbox.sample.licensing;

import org.jspecify.annotations.NullMarked;
