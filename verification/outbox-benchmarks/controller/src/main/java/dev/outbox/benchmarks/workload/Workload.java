package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.options.Case;
import java.util.List;
import java.util.Map;

/** Kind of workload, which runs once for every case of its options. */
public interface Workload {

    /** Returns the name. */
    String name();

    /** Returns the prefix of its options, which is not part of their names in a case. */
    default String prefix() {
        return "";
    }

    /** Returns the default values of its options, separated by commas, in the order in which the report prints them. */
    Map<String, String> options();

    /** Returns whether an entrant can take part in a case. */
    boolean suits(Entrant entrant, Case parameters);

    /** Returns the figure that the report puts first and compares. */
    Headline headline();

    /** Runs a case once and returns its figures. */
    Measurement run(Arena arena, Case parameters) throws Exception;

    /**
     * Figure that the report compares.
     *
     * @param figure its name
     * @param references the contestants to divide by
     */
    record Headline(String figure, List<String> references) {

        /** Creates a figure that is not divided. */
        public Headline(String figure) {
            this(figure, List.of());
        }
    }
}
