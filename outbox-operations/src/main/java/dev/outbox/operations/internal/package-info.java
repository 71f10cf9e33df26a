/**
 * Adds commands, inspector and replays to a runtime, which works without them.
 *
 * <p>Front door: {@link OperationsRuntime}. Tables: none.
 */
@NullMarked
package dev.outbox.operations.internal;

import org.jspecify.annotations.NullMarked;
