package dev.outbox.fuzz;

import java.util.Random;
import java.util.function.BiConsumer;

/**
 * Seeded cases of a property. {@code fuzz.cases} is the number of all properties together, {@code fuzz.seed} repeats a run:
 * the seed is printed, and is part of every failure.
 */
final class Cases {

    private static final int IN_VERIFY = 3_000;
    private static final int ALL = 100_000;
    private static final long FIXED_SEED = 20_260_101;

    private final String property;
    private final int count;
    private final long seed;

    private Cases(String property, int count, long seed) {
        this.property = property;
        this.count = count;
        this.seed = seed;
    }

    /** The few cases that every build runs, the same each time. */
    static Cases few(String property, int percent) {
        return new Cases(property, IN_VERIFY * percent / 100, Long.getLong("fuzz.seed", FIXED_SEED));
    }

    /** The property's share of all cases, different each time. */
    static Cases all(String property, int percent) {
        int all = Integer.getInteger("fuzz.cases", ALL);
        return new Cases(
                property,
                Math.toIntExact((long) all * percent / 100),
                Long.getLong("fuzz.seed", new Random().nextLong() >>> 1));
    }

    /** Runs the cases in batches of at most so many. */
    void inBatches(int size, BiConsumer<Random, Integer> batch) {
        System.out.println(property + ": " + count + " cases, -Dfuzz.seed=" + seed);
        for (int first = 0; first < count; first += size) {
            int cases = Math.min(size, count - first);
            try {
                batch.accept(new Random(seed * 31 + first), cases);
            } catch (RuntimeException | Error ex) {
                throw new AssertionError(
                        property + " failed in cases " + first + " to " + (first + cases - 1) + " of -Dfuzz.seed="
                                + seed,
                        ex);
            }
        }
    }
}
