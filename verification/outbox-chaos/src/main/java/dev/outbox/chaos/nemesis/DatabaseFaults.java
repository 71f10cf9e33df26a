package dev.outbox.chaos.nemesis;

import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.Fact.Phase;
import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Faults of the server, one at a time. Between a backup or a standby and its use nothing else happens to it. */
final class DatabaseFaults {

    private static final String SERVER = "server";
    private static final int LAST_VERSION = 2;

    /** A day more than the life of a registration without a heartbeat. */
    private static final String EIGHT_DAYS_LATER = """
            UPDATE events.outbox_handler SET last_seen_at = last_seen_at - interval '8 days';
            UPDATE events.outbox_subscription SET last_seen_at = last_seen_at - interval '8 days';
            UPDATE events.outbox_instance SET last_seen_at = last_seen_at - interval '8 days'
            """;

    private DatabaseFaults() {}

    /** Crashes while publishers are quiet, so that no synchronous commit has flushed the last asynchronous ones, or while they are busy. */
    static boolean crash(Fleet fleet, Random random) {
        boolean quiet = random.nextInt(3) > 0;
        if (quiet) {
            fleet.throttle().pause();
            Pause.of(Duration.ofMillis(50 + random.nextInt(250)));
        }
        Duration down = Duration.ofMillis(random.nextInt(1000));
        during(fleet, Kind.DATABASE_CRASH, null, () -> {
            fleet.server().crash();
            Pause.of(down);
            fleet.server().start();
        });
        fleet.throttle().open();
        return true;
    }

    static boolean crashBackend(Fleet fleet) {
        during(fleet, Kind.DATABASE_CRASH, null, () -> fleet.server().crashBackend());
        return true;
    }

    static boolean failOverToAsynchronousStandby(Fleet fleet, Random random) {
        fleet.server().addStandby();
        Pause.of(Duration.ofMillis(200 + random.nextInt(1500)));
        long replicated = System.nanoTime();
        fleet.server().stopReplication();
        Pause.of(Duration.ofMillis(random.nextInt(1500)));
        during(fleet, Kind.FAILOVER_ASYNC, replicated, () -> fleet.server().failOver());
        return true;
    }

    static boolean failOverToSynchronousStandby(Fleet fleet, Random random) {
        fleet.server().addSynchronousStandby();
        Pause.of(Duration.ofMillis(200 + random.nextInt(2500)));
        during(fleet, Kind.FAILOVER_SYNC, null, () -> fleet.server().failOver());
        return true;
    }

    static boolean restore(Fleet fleet, Random random) {
        long backedUp = System.nanoTime();
        fleet.server().backUp();
        return restore(fleet, random, backedUp);
    }

    static boolean restoreCold(Fleet fleet, Random random) {
        long backedUp = System.nanoTime();
        during(fleet, Kind.DATABASE_CRASH, null, () -> fleet.server().backUpCold());
        return restore(fleet, random, backedUp);
    }

    private static boolean restore(Fleet fleet, Random random, long backedUp) {
        Pause.of(Duration.ofMillis(500 + random.nextInt(5000)));
        during(fleet, Kind.RESTORE, backedUp, () -> fleet.server().restoreBackup());
        return true;
    }

    static boolean upgrade(Fleet fleet) {
        fleet.upgrade(LAST_VERSION);
        return true;
    }

    /** Stops all workers, and lets the outbox believe that this lasted longer than registrations live. */
    static boolean stopAllWorkers(Fleet fleet, Random random) {
        fleet.stopAllWorkers(random::nextBoolean, () -> {
            Pause.of(Duration.ofMillis(random.nextInt(1000)));
            fleet.sql().sql(EIGHT_DAYS_LATER).update();
        });
        return true;
    }

    private static void during(Fleet fleet, Kind kind, @Nullable Long durableUntil, Runnable fault) {
        fleet.facts().write(new Fault(System.nanoTime(), kind, SERVER, Phase.BEGUN, durableUntil, ""));
        fault.run();
        fleet.facts().write(new Fault(System.nanoTime(), kind, SERVER, Phase.ENDED, durableUntil, ""));
    }
}
