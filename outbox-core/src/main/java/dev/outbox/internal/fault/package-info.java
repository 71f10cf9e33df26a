/** Named steps at which tests inject faults; without a test they do nothing. */
@NullMarked
package dev.outbox.internal.fault;

import org.jspecify.annotations.NullMarked;
