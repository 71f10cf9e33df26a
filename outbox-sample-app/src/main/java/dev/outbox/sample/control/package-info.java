/** Settings that operators change at run time, such as the kill switch. */
@NullMarked
package dev.outbox.sample.control;

import org.jspecify.annotations.NullMarked;
