/**
 * Reads payloads into the classes that handlers take, through upcasters.
 *
 * <p>Front door: {@link PayloadReader}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.payload;

import org.jspecify.annotations.NullMarked;
