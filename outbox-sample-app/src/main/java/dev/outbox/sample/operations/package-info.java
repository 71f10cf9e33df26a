/** HTTP API for operators of the outbox. */
@NullMarked
package dev.outbox.sample.operations;

import org.jspecify.annotations.NullMarked;
