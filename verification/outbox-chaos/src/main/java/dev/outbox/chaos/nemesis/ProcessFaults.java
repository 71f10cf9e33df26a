package dev.outbox.chaos.nemesis;

import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.fleet.Member;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.process.Commands;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Faults of whole processes. */
final class ProcessFaults {

    private static final Duration BUSY = Duration.ofMillis(400);
    private static final int SURVIVOR_AND_VICTIM = 2;

    private ProcessFaults() {}

    static boolean kill(Fleet fleet, Random random) {
        return victim(fleet, random).kill();
    }

    /** Kills a worker in the middle of its handlers, and lets its lease expire. */
    static boolean killAlone(Fleet fleet, Random random) {
        Member victim = fleet.choose(random, fleet.workers()::contains);
        String process = victim.process();
        fleet.facts().write(Fault.begun(System.nanoTime(), Kind.HANDLERS_SLOW, process, "before a kill"));
        victim.tell(Commands.SLOW, BUSY.toMillis());
        Pause.of(BUSY.multipliedBy(2));
        fleet.facts().write(Fault.ended(System.nanoTime(), Kind.HANDLERS_SLOW, process, "before a kill"));
        boolean killed = victim.kill();
        Pause.of(Fleet.LEASE);
        return killed;
    }

    /** Suspends for longer than the lease, or for a moment. */
    static boolean suspend(Fleet fleet, Random random) {
        long millis = random.nextInt(4) == 0 ? 500 : Fleet.LEASE.toMillis() + 300 + random.nextInt(1200);
        return victim(fleet, random).suspend(Duration.ofMillis(millis));
    }

    static boolean restart(Fleet fleet, Random random) {
        return victim(fleet, random).restart("restart");
    }

    /** Mostly a worker, and mostly not the only one: on a slow machine, nothing would be delivered between the faults. */
    private static Member victim(Fleet fleet, Random random) {
        boolean publisher = random.nextInt(4) == 0 && !fleet.publishers().isEmpty();
        fleet.awaitWorkers(publisher || random.nextInt(8) == 0 ? 1 : SURVIVOR_AND_VICTIM);
        List<Member> eligible = publisher ? fleet.publishers() : fleet.workers();
        return fleet.choose(random, eligible::contains);
    }
}
