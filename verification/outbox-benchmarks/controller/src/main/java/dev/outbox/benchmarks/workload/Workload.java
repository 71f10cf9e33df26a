package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import java.util.List;
import java.util.Map;

/** Case to measure entrants with. */
public interface Workload {

    /** Returns the name of the kind of workload. */
    String name();

    /** Returns the parameters of this case by name, in the order in which the report prints them. */
    Map<String, String> parameters();

    /** Returns whether an entrant can take part. */
    boolean suits(Entrant entrant);

    /** Returns the figure that the report puts first and compares. */
    Headline headline();

    /** Runs the case once and returns its figures. */
    Measurement run(Arena arena) throws Exception;

    /**
     * Figure that the report compares.
     *
     * @param figure its name
     * @param references the contestants to divide by
     */
    record Headline(String figure, List<String> references) {}
}
