package dev.outbox.chaos.matrix;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What became of a run of a cell.
 *
 * @param facts where its facts are
 * @param violations what is wrong; empty if nothing is
 * @param forgottenBytes how much of its log the server forgot, if it crashed
 */
record CellResult(Cell cell, Path facts, List<String> violations, Duration took, long forgottenBytes) {

    @Override
    public String toString() {
        String forgotten = cell.kind() == FaultKind.CRASH ? ", forgot " + forgottenBytes + " bytes" : "";
        String verdict = violations.isEmpty() ? "ok" : "VIOLATED " + violations;
        return cell + " " + verdict + " after " + took.toMillis() + " ms" + forgotten + ", facts in " + facts;
    }
}
