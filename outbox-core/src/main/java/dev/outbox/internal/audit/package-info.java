/**
 * Who did what, and why: every change by an operator leaves a line.
 *
 * <p>Front door: {@link AuditInfo}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.audit;

import org.jspecify.annotations.NullMarked;
