package dev.outbox.chaos.nemesis;

import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.fleet.Member;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.process.Commands;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Faults of other sessions, other code in the processes, and operators. */
final class LoadFaults {

    private static final String DATABASE = "database";
    private static final int SKEW_SECONDS = 600;
    private static final Duration WRITER = Duration.ofSeconds(3);
    private static final Duration BACKLOG = Duration.ofSeconds(4);
    private static final Duration STORM = Duration.ofSeconds(6);

    private static final List<String> ROWS = List.of(
            "SELECT id FROM events.outbox_unpublished ORDER BY id LIMIT 5 FOR UPDATE",
            "SELECT outbox_id FROM events.outbox_delivery ORDER BY outbox_id LIMIT 5 FOR UPDATE",
            "SELECT aggregate_id FROM events.outbox_lane LIMIT 5 FOR UPDATE",
            "SELECT stream FROM events.outbox_stream WHERE stream = 'default' FOR UPDATE",
            "SELECT aggregate_id FROM events.outbox_aggregate WHERE aggregate_id LIKE 'hot-%' FOR UPDATE");

    private static final List<String> TABLES = List.of(
            "outbox",
            "outbox_claim",
            "outbox_delivery",
            "outbox_lane",
            "outbox_aggregate",
            "outbox_handler",
            "outbox_stream");

    private LoadFaults() {}

    static boolean lockRows(Fleet fleet, Random random) throws SQLException {
        return hold(fleet, random, Kind.LOCKS_HELD, ROWS.get(random.nextInt(ROWS.size())), 2500);
    }

    static boolean lockTable(Fleet fleet, Random random) throws SQLException {
        String table = TABLES.get(random.nextInt(TABLES.size()));
        return hold(fleet, random, Kind.LOCKS_HELD, "LOCK TABLE events." + table, 1500);
    }

    static boolean holdSnapshot(Fleet fleet, Random random) throws SQLException {
        return hold(
                fleet,
                random,
                Kind.SNAPSHOT_HELD,
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()",
                6000);
    }

    /** Lets transactions of three seconds publish, of which one is always open. */
    static boolean overlapWriters(Fleet fleet, Random random) {
        Member publisher = fleet.choose(random, fleet.publishers()::contains);
        Duration time = Duration.ofMillis(5000 + random.nextInt(3000));
        during(
                fleet,
                Kind.SNAPSHOT_HELD,
                publisher,
                time.plus(WRITER),
                () -> publisher.tell(Commands.OVERLAP, time.toMillis()));
        return true;
    }

    /** Makes every third payment fail at first, beside a backlog, while more payments arrive than the workers can handle. */
    static boolean retryStorm(Fleet fleet) {
        Member operator = fleet.publishers().get(0);
        operator.tell(Commands.PAUSE, 1);
        Pause.of(BACKLOG);
        fleet.facts().write(Fault.begun(System.nanoTime(), Kind.RETRY_STORM, DATABASE, ""));
        fleet.workers().forEach((worker) -> worker.tell(Commands.STORM, STORM.toMillis()));
        operator.tell(Commands.PAUSE, 0);
        Pause.of(STORM);
        fleet.facts().write(Fault.ended(System.nanoTime(), Kind.RETRY_STORM, DATABASE, ""));
        return true;
    }

    private static boolean hold(Fleet fleet, Random random, Kind kind, String sql, int longest) throws SQLException {
        Duration time = Duration.ofMillis(longest / 4 + random.nextInt(longest));
        try (OpenTransaction other = OpenTransaction.of(fleet.dataSource())) {
            other.run("SET LOCAL lock_timeout = '2s'");
            fleet.facts().write(Fault.begun(System.nanoTime(), kind, DATABASE, sql));
            try {
                other.run(sql);
                Pause.of(time);
                other.rollback();
            } finally {
                fleet.facts().write(Fault.ended(System.nanoTime(), kind, DATABASE, sql));
            }
            return true;
        }
    }

    static boolean exhaustPool(Fleet fleet, Random random) {
        Member member = fleet.choose(random, (any) -> true);
        int millis = 300 + random.nextInt(4000);
        during(
                fleet,
                Kind.POOL_EXHAUSTED,
                member,
                Duration.ofMillis(millis + 500),
                () -> member.tell(Commands.EXHAUST, millis));
        return true;
    }

    static boolean skewClock(Fleet fleet, Random random) {
        Member member = fleet.choose(random, (any) -> true);
        int seconds = random.nextInt(2 * SKEW_SECONDS + 1) - SKEW_SECONDS;
        String process = member.process();
        fleet.facts().write(Fault.begun(System.nanoTime(), Kind.CLOCK_SKEW, process, seconds + " s"));
        member.tell(Commands.SKEW, seconds);
        fleet.facts().write(Fault.ended(System.nanoTime(), Kind.CLOCK_SKEW, process, "jumped"));
        return true;
    }

    static boolean slowHandlers(Fleet fleet, Random random) {
        Member worker = fleet.choose(random, fleet.workers()::contains);
        int millis = 20 + random.nextInt(400);
        Duration time = Duration.ofMillis(500 + random.nextInt(3000));
        during(fleet, Kind.HANDLERS_SLOW, worker, time, () -> worker.tell(Commands.SLOW, millis));
        worker.tell(Commands.SLOW, 0);
        return true;
    }

    /** Lets an operator work in one of the publishers. */
    static boolean operate(Fleet fleet, Random random, String command, int limit) {
        fleet.choose(random, fleet.publishers()::contains).tell(command, limit);
        return true;
    }

    private static void during(Fleet fleet, Kind kind, Member member, Duration time, Runnable fault) {
        String process = member.process();
        fleet.facts().write(Fault.begun(System.nanoTime(), kind, process, ""));
        fault.run();
        Pause.of(time);
        fleet.facts().write(Fault.ended(System.nanoTime(), kind, process, ""));
    }
}
