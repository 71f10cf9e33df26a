/**
 * Who did what, and why: every change by an operator leaves a line.
 *
 * <p>Front door: {@link OperationLogStore}. Beside it: {@link AuditInfo}, {@link OperatorRequest}. Tables: outbox_operation; of
 * other rooms: outbox_handler, outbox_stream.
 */
@NullMarked
package dev.outbox.internal.audit;

import org.jspecify.annotations.NullMarked;
