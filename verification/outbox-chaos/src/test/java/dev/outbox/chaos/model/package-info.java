/** An executable specification of the delivery protocol, and an exhaustive check of all its states within bounds. */
@NullMarked
package dev.outbox.chaos.model;

import org.jspecify.annotations.NullMarked;
