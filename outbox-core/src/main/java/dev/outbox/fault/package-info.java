/** The steps at which a test can make a process fail. Free in production. */
@NullMarked
package dev.outbox.fault;

import org.jspecify.annotations.NullMarked;
