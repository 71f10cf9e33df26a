/** The operations behind the public interfaces, and the expiry of registrations. */
@NullMarked
package dev.outbox.internal.operations;

import org.jspecify.annotations.NullMarked;
