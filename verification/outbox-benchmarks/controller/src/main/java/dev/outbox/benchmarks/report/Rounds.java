package dev.outbox.benchmarks.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** All runs of one entrant in one case. */
record Rounds(List<Run> runs) {

    static Map<String, List<Run>> byCase(List<Run> runs) {
        return runs.stream().collect(Collectors.groupingBy(Run::caseName, LinkedHashMap::new, Collectors.toList()));
    }

    static Map<String, Rounds> byEntrant(List<Run> runs) {
        return runs.stream()
                .collect(Collectors.groupingBy(
                        Run::entrant,
                        LinkedHashMap::new,
                        Collectors.collectingAndThen(Collectors.toList(), Rounds::new)));
    }

    double[] sorted(String figure) {
        return runs.stream()
                .map((run) -> run.figures().get(figure))
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .sorted()
                .toArray();
    }

    double median(String figure) {
        double[] sorted = sorted(figure);
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    long failed() {
        return runs.stream().filter((run) -> !run.failure().isEmpty()).count();
    }
}
