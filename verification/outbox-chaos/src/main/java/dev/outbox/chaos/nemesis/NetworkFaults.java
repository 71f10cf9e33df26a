package dev.outbox.chaos.nemesis;

import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.fleet.Member;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.process.Commands;
import dev.outbox.testing.TcpProxy;
import java.time.Duration;
import java.util.Random;
import org.springframework.dao.DataAccessException;

/** Faults of the network between one process and the database. */
public final class NetworkFaults {

    /** Note of the fault that cuts a worker off in the middle of a transaction. */
    public static final String HELD = "black hole around an open transaction";

    private static final Duration CUT_OFF = Duration.ofSeconds(12);
    private static final Duration FROZEN = Duration.ofSeconds(20);
    private static final Duration CUT_DEADLINE = Duration.ofSeconds(4);

    private NetworkFaults() {}

    static boolean reset(Fleet fleet, Random random) {
        return cut(fleet, fleet.choose(random, (member) -> true), "reset", (proxy) -> proxy.reset() > 0);
    }

    static boolean refuse(Fleet fleet, Random random) {
        Duration time = Duration.ofMillis(300 + random.nextInt(3000));
        return cut(fleet, fleet.choose(random, (member) -> true), "refused", (proxy) -> {
            proxy.refuse();
            Pause.of(time);
            return true;
        });
    }

    /** Afterwards, what was held back arrives, or every connection is reset. */
    static boolean blackHole(Fleet fleet, Random random) {
        Duration time = Duration.ofMillis(300 + random.nextInt(5000));
        boolean reset = random.nextBoolean();
        return cut(fleet, fleet.choose(random, (member) -> true), "black hole", (proxy) -> {
            proxy.blackHole();
            Pause.of(time);
            if (reset) {
                proxy.reset();
            }
            return true;
        });
    }

    /**
     * Freezes the open connections of a worker, for longer than its own statements wait. Then they are reset: the driver has no timeout, as
     * by default, and a statement of a handler would wait for ever.
     */
    static boolean freeze(Fleet fleet, Random random) {
        Member worker = fleet.choose(random, fleet.workers()::contains);
        String process = worker.process();
        long begun = begin(fleet, Kind.CONNECTIONS_FROZEN, process, "");
        boolean frozen = worker.proxy().freeze() > 0;
        Pause.of(FROZEN);
        worker.proxy().reset();
        end(fleet, Kind.CONNECTIONS_FROZEN, worker, process, "", begun);
        return frozen;
    }

    /**
     * Cuts a worker off in the middle of the transaction of a deduplicating handler, which stays open on the server for longer than
     * another worker should wait for it. Then the worker resumes, or it was killed meanwhile.
     */
    static boolean cutOffTransaction(Fleet fleet, Random random) {
        Member worker = fleet.choose(random, fleet.workers()::contains);
        boolean dies = random.nextBoolean();
        worker.tell(Commands.HOLD, CUT_OFF.toMillis());
        if (!Pause.until(CUT_DEADLINE, () -> holdsTransaction(fleet, worker))) {
            worker.tell(Commands.HOLD, 0);
            return false;
        }
        return cut(fleet, worker, HELD, (proxy) -> {
            proxy.blackHole();
            Pause.of(CUT_OFF.dividedBy(2));
            boolean isDead = !dies || worker.kill();
            Pause.of(CUT_OFF.dividedBy(2));
            return isDead;
        });
    }

    private static boolean holdsTransaction(Fleet fleet, Member worker) {
        try {
            return fleet.sql().sql("""
                    SELECT count(*)
                    FROM pg_stat_activity
                    WHERE application_name = ?
                    AND state = 'idle in transaction'
                    AND state_change < clock_timestamp() - interval '100 milliseconds'
                    AND query LIKE '%chaos.booking%'
                    """).param(worker.name()).query(Long.class).single() > 0;
        } catch (DataAccessException e) {
            return false;
        }
    }

    static boolean delay(Fleet fleet, Random random) {
        Duration each = Duration.ofMillis(10 + random.nextInt(150));
        Duration time = Duration.ofMillis(500 + random.nextInt(3000));
        return cut(fleet, fleet.choose(random, (member) -> true), "delay of " + each, (proxy) -> {
            proxy.delay(each);
            Pause.of(time);
            return true;
        });
    }

    /** Cuts the connection between a commit and its reply. */
    static boolean cutAfterCommit(Fleet fleet, Random random) {
        int commits = 1 + random.nextInt(3);
        return cut(fleet, fleet.choose(random, (member) -> true), "after commit", (proxy) -> {
            int before = proxy.commitsCut();
            proxy.cutAfterCommit(commits);
            return Pause.until(CUT_DEADLINE, () -> proxy.commitsCut() > before);
        });
    }

    static boolean terminateBackends(Fleet fleet, Random random) {
        Member member = fleet.choose(random, (any) -> true);
        fleet.facts().write(Fault.begun(System.nanoTime(), Kind.BACKENDS_TERMINATED, member.process(), ""));
        long terminated =
                fleet.sql().sql("""
                SELECT count(pg_terminate_backend(pid))
                FROM pg_stat_activity
                WHERE application_name = ?
                """).param(member.name()).query(Long.class).single();
        fleet.facts().write(Fault.ended(System.nanoTime(), Kind.BACKENDS_TERMINATED, member.process(), ""));
        return terminated > 0;
    }

    private static boolean cut(Fleet fleet, Member member, String note, Cut fault) {
        String process = member.process();
        long begun = begin(fleet, Kind.CONNECTIONS_CUT, process, note);
        boolean happened = fault.happens(member.proxy());
        member.proxy().heal();
        end(fleet, Kind.CONNECTIONS_CUT, member, process, note, begun);
        return happened;
    }

    private static long begin(Fleet fleet, Kind kind, String process, String note) {
        long now = System.nanoTime();
        fleet.facts().write(Fault.begun(now, kind, process, note));
        return now;
    }

    /** If the process was killed meanwhile, its successor has the same network. */
    private static void end(Fleet fleet, Kind kind, Member member, String process, String note, long begun) {
        long now = System.nanoTime();
        fleet.facts().write(Fault.ended(now, kind, process, note));
        String successor = member.process();
        if (!successor.equals(process)) {
            fleet.facts().write(Fault.begun(begun, kind, successor, note));
            fleet.facts().write(Fault.ended(now, kind, successor, note));
        }
    }

    /** Disturbs a network for some time. */
    private interface Cut {
        boolean happens(TcpProxy proxy);
    }
}
