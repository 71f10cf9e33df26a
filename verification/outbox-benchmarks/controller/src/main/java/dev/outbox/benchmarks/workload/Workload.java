package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.options.Case;
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

    /** Runs a case once and returns its figures, of which the report puts the first one first. */
    Measurement run(Arena arena, Case parameters) throws Exception;
}
