/** Puts defects into the library on purpose and shows that the tests catch them. */
@NullMarked
package dev.outbox.chaos.defect;

import org.jspecify.annotations.NullMarked;
