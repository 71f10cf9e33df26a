/** The data that travels between the store and the rest: claims, deliveries, registrations. */
@NullMarked
package dev.outbox.internal.delivery;

import org.jspecify.annotations.NullMarked;
