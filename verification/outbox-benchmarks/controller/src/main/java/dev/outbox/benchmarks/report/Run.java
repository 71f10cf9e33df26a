package dev.outbox.benchmarks.report;

import java.util.Map;

/**
 * One run of one entrant, as {@code results.json} stores it.
 *
 * @param round the round, from 1
 * @param workload the kind of workload
 * @param parameters the parameters of the case by name
 * @param contestant the name of the contestant
 * @param variant the variant of its settings; empty if it was not recorded
 * @param version the version of the contestant
 * @param settings the settings by name
 * @param figures the measured figures by name; empty if the run failed
 * @param failure the cause of a failure; empty if the run succeeded
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

    /** Returns the case as one line. */
    String caseName() {
        StringBuilder name = new StringBuilder(workload);
        parameters.forEach((parameter, value) ->
                name.append(", ").append(parameter).append(' ').append(value));
        return name.toString();
    }

    /** Returns the name of the entrant in tables and charts. */
    String entrant() {
        return variant.isEmpty() || variant.equals("floor") ? contestant : contestant + " (" + variant + ")";
    }
}
