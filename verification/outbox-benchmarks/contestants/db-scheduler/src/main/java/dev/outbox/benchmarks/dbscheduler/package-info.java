/** Contestant db-scheduler, used as an outbox. */
@NullMarked
package dev.outbox.benchmarks.dbscheduler;

import org.jspecify.annotations.NullMarked;
