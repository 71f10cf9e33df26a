/** Test kit: delivers events on the thread of the test, and asserts what became of them. */
@NullMarked
package dev.outbox.test;

import org.jspecify.annotations.NullMarked;
