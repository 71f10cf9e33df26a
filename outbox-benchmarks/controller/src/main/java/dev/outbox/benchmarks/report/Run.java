package dev.outbox.benchmarks.report;

import java.util.Map;

/**
 * One run of one entrant, as it is written down.
 *
 * @param round in which round, from 1
 * @param workload the kind of workload
 * @param parameters the case
 * @param contestant who
 * @param variant at which settings
 * @param version of which version
 * @param settings what it ran with
 * @param figures what came of it; empty where it failed
 * @param failure why it failed; empty where it did not
 */
public record Run(
        int round,
        String workload,
        Map<String, String> parameters,
        String contestant,
        String variant,
        String version,
        Map<String, String> settings,
        Map<String, Double> figures,
        String failure) {

    /** The case, as one line. */
    String caseName() {
        StringBuilder name = new StringBuilder(workload);
        parameters.forEach((parameter, value) ->
                name.append(", ").append(parameter).append(' ').append(value));
        return name.toString();
    }

    /** Who, as it is named in tables. */
    String entrant() {
        return variant.equals("floor") ? contestant : contestant + " (" + variant + ")";
    }
}
