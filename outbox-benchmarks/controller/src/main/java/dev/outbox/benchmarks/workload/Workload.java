package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import java.util.List;
import java.util.Map;

/** One case that entrants are measured at. */
public interface Workload {

    /**
     * Returns the kind of workload.
     *
     * @return its name, as it is chosen by
     */
    String name();

    /**
     * Returns what tells this case from others of its kind.
     *
     * @return the parameters by name, in the order in which they are printed
     */
    Map<String, String> parameters();

    /**
     * Says whether an entrant can take part.
     *
     * @param entrant the entrant
     * @return whether it can
     */
    boolean suits(Entrant entrant);

    /**
     * Returns what the report puts first and compares.
     *
     * @return the figure
     */
    Headline headline();

    /**
     * Runs once.
     *
     * @param arena who, and where
     * @return what came of it
     * @throws Exception if it could not be measured
     */
    Measurement run(Arena arena) throws Exception;

    /**
     * The figure that the report compares.
     *
     * @param figure its name
     * @param references the contestants that the others are divided by
     */
    record Headline(String figure, List<String> references) {}
}
