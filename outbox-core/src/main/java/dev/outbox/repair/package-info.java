/** Retries what left the fast lane: one lane per handler and aggregate, in order. */
@NullMarked
package dev.outbox.repair;

import org.jspecify.annotations.NullMarked;
