package dev.outbox.chaos.nemesis;

import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.fleet.Member;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Faults of whole processes. */
final class ProcessFaults {

    private ProcessFaults() {}

    static boolean kill(Fleet fleet, Random random) {
        return fleet.choose(random, mostlyWorkers(fleet, random)::contains).kill();
    }

    /** Suspends for longer than the lease, or for a moment. */
    static boolean suspend(Fleet fleet, Random random) {
        long millis = random.nextInt(4) == 0 ? 500 : Fleet.LEASE.toMillis() + 300 + random.nextInt(1200);
        return fleet.choose(random, mostlyWorkers(fleet, random)::contains).suspend(Duration.ofMillis(millis));
    }

    static boolean restart(Fleet fleet, Random random) {
        return fleet.choose(random, (member) -> true).restart("restart");
    }

    private static List<Member> mostlyWorkers(Fleet fleet, Random random) {
        return random.nextInt(4) == 0 ? fleet.publishers() : fleet.workers();
    }
}
