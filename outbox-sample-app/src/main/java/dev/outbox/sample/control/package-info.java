/** Settings that operators change while everything runs, the kill switch among them. */
@NullMarked
package dev.outbox.sample.control;

import org.jspecify.annotations.NullMarked;
