package dev.outbox.chaos.matrix;

import dev.outbox.chaos.check.Report;
import dev.outbox.internal.fault.FaultPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;

/** Results of many runs, as a table of fault points and kinds. Safe for use by many threads. */
final class HitTable {

    private final List<CellResult> results = new ArrayList<>();

    /** Adds a result. */
    synchronized void add(CellResult result) {
        results.add(result);
    }

    /** Returns the results with violations. */
    synchronized List<CellResult> failures() {
        return results.stream()
                .filter((result) -> !result.violations().isEmpty())
                .toList();
    }

    /** Returns how often a cell was hit without a violation. */
    synchronized long hits(FaultPoint point, FaultKind kind) {
        return results.stream()
                .filter((result) ->
                        result.cell().point() == point && result.cell().kind() == kind)
                .filter((result) -> result.violations().isEmpty())
                .count();
    }

    /** Prints hits per cell, and what failed. */
    @Override
    public synchronized String toString() {
        StringBuilder table = new StringBuilder("%-28s".formatted("fault point"));
        for (FaultKind kind : FaultKind.values()) {
            table.append("%9s".formatted(kind));
        }
        for (FaultPoint point : FaultPoint.values()) {
            table.append("%n%-28s".formatted(point));
            for (FaultKind kind : FaultKind.values()) {
                table.append("%9d".formatted(hits(point, kind)));
            }
        }
        long millis =
                results.stream().mapToLong((result) -> result.took().toMillis()).sum();
        long crashes = results.stream()
                .filter((result) -> result.cell().kind() == FaultKind.CRASH)
                .count();
        long forgetful =
                results.stream().filter((result) -> result.forgottenBytes() > 0).count();
        table.append("%n%d runs, %d with violations, %d ms each; %d of %d crashes forgot asynchronous commits%n"
                .formatted(
                        results.size(), failures().size(), millis / Math.max(1, results.size()), forgetful, crashes));
        table.append(
                "events: %d ok, %d recovered, %d lost, %d unexpected; executions: %d, of which %d repeated a success%n"
                        .formatted(
                                sum(Report::ok),
                                sum(Report::recovered),
                                sum(Report::lost),
                                sum(Report::unexpected),
                                sum(Report::executions),
                                sum(Report::duplicated)));
        failures().forEach((failure) -> table.append(failure).append(System.lineSeparator()));
        return table.toString();
    }

    private long sum(ToLongFunction<Report> count) {
        return results.stream()
                .map(CellResult::report)
                .filter(Objects::nonNull)
                .mapToLong(count)
                .sum();
    }
}
