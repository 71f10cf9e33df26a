/** A subscription service and its neighbours: one package per context. The contexts know the events, but not each other. */
@NullMarked
package dev.outbox.sample;

import org.jspecify.annotations.NullMarked;
