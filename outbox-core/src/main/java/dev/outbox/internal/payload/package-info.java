/**
 * Reads payloads into the classes that handlers take, through upcasters.
 *
 * <p>Front door: {@link PayloadReader}. Beside it: {@link DeclaredType}, {@link Jackson2}, {@link PayloadClasses}, {@link
 * UndecodableException}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.payload;

import org.jspecify.annotations.NullMarked;
