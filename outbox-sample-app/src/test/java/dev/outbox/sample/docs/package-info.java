/** Code that the documentation shows. */
@NullMarked
package dev.outbox.sample.docs;

import org.jspecify.annotations.NullMarked;
