package dev.outbox.chaos.matrix;

import dev.outbox.chaos.check.Report;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Result of a run of a cell.
 *
 * @param facts where its facts are
 * @param violations what is wrong; empty if nothing is
 * @param report what the checker counted; {@code null} if the cell could not be checked
 * @param forgottenBytes how much of its log the server forgot, if it crashed
 */
record CellResult(
        Cell cell,
        Path facts,
        List<String> violations,
        @Nullable Report report,
        Duration took,
        long forgottenBytes) {

    @Override
    public String toString() {
        String forgotten = cell.kind() == FaultKind.CRASH ? ", forgot " + forgottenBytes + " bytes" : "";
        String verdict = violations.isEmpty() ? "ok" : "VIOLATED " + violations;
        return cell + " " + verdict + " after " + took.toMillis() + " ms" + forgotten + ", facts in " + facts;
    }
}
