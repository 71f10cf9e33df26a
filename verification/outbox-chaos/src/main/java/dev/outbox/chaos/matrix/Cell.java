package dev.outbox.chaos.matrix;

import dev.outbox.internal.fault.FaultPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * One fault at one fault point.
 *
 * @param hit at which hit of the point
 * @param together whether the process that survives handles events from the beginning
 * @param concurrency how many aggregates each process handles at the same time
 * @param early whether the process resumes before the server is back
 */
record Cell(FaultPoint point, FaultKind kind, int hit, boolean together, int concurrency, boolean early) {

    private static final int MOST_HITS = 3;

    /** Retention has six steps, of which the second run finds something to do in each; so has the erasure of two aggregates. */
    private static final int STEPS = 6;

    /** Returns every cell once, in an order and with variants that the seed decides. */
    static List<Cell> all(Random random) {
        List<Cell> cells = new ArrayList<>();
        for (FaultPoint point : FaultPoint.values()) {
            for (FaultKind kind : FaultKind.values()) {
                cells.add(of(point, kind, random));
            }
        }
        return cells;
    }

    /** Returns a cell whose variants are random. */
    static Cell of(FaultPoint point, FaultKind kind, Random random) {
        // Where a round takes seconds, one hit is enough, and the other process must not take the event.
        boolean rare = switch (Scenario.reaching(point)) {
            case EXPIRY, MIGRATION, CONTENTION, LOCKED_REDELIVERY, REFUSAL -> true;
            default -> false;
        };
        int concurrency = random.nextBoolean() ? 1 : 3;
        int hit = switch (Scenario.reaching(point)) {
            case RETENTION -> STEPS + 1 + random.nextInt(STEPS);
            case ERASURE -> 1 + random.nextInt(STEPS);
            default -> 1 + random.nextInt(rare ? 1 : MOST_HITS);
        };
        boolean together = random.nextInt(3) == 0;
        return new Cell(point, kind, hit, together && !rare, concurrency, random.nextBoolean());
    }

    Scenario scenario() {
        return Scenario.reaching(point);
    }

    /** Name of the cell, which a database and a directory can carry. */
    String name() {
        return (point + "_" + kind).toLowerCase(Locale.ROOT);
    }
}
