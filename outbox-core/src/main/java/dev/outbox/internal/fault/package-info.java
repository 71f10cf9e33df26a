/**
 * Points at which tests let a process fail.
 *
 * <p>Front door: {@link FaultPoint}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.fault;

import org.jspecify.annotations.NullMarked;
