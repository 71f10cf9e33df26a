/** Beans of the module outbox-operations. */
@NullMarked
package dev.outbox.spring.autoconfigure.operations;

import org.jspecify.annotations.NullMarked;
