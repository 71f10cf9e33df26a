/** db-scheduler, used as an outbox, as a contestant. */
@NullMarked
package dev.outbox.benchmarks.dbscheduler;

import org.jspecify.annotations.NullMarked;
