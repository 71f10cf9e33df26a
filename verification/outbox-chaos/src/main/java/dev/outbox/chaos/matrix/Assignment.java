package dev.outbox.chaos.matrix;

import dev.outbox.internal.fault.FaultPoint;
import org.jspecify.annotations.Nullable;

/**
 * Part of one process in a cell.
 *
 * @param process name of the process in this cell, and of its file of facts
 * @param facts directory of the cell's facts
 * @param scenario what it does
 * @param point where it is to be stopped, if anywhere
 * @param hit at which hit of the point
 * @param polls whether it handles events from the beginning
 * @param concurrency how many aggregates it handles at the same time
 */
record Assignment(
        String process,
        Database database,
        String facts,
        Scenario scenario,
        @Nullable FaultPoint point,
        int hit,
        boolean polls,
        int concurrency) {

    /** Address of the cell's database. */
    record Database(String jdbcUrl, String username, String password) {}
}
