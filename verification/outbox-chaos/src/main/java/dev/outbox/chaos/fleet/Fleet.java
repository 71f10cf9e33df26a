package dev.outbox.chaos.fleet;

import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.history.RunTables;
import dev.outbox.chaos.process.ChaosProcess;
import dev.outbox.testing.CrashingPostgres;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** One service of a chaos run: its database, its publishers and its workers, each behind a network of its own. */
public final class Fleet implements AutoCloseable {

    /** Lease of the workers. */
    public static final Duration LEASE = Duration.ofSeconds(3);

    /** Longest time between two polls of a worker. */
    public static final Duration LONGEST_POLL = Duration.ofSeconds(2);

    /** Many processes start at once, on machines of two cores, and begin anew if their database crashes meanwhile. */
    private static final Duration READY_DEADLINE = Duration.ofMinutes(3);

    private static final Duration ALONE = Duration.ofSeconds(1);
    private static final int WITH_BILLING = 2;

    private final CrashingPostgres server = CrashingPostgres.create();
    private final TestDatabase testDatabase = server.postgres().newDatabase();
    private final JdbcClient sql = JdbcClient.create(testDatabase.dataSource());
    private final List<Member> publishers = new ArrayList<>();
    private final List<Member> workers = new ArrayList<>();
    private final FactWriter facts;
    private final Path directory;
    private final FleetSettings settings;
    private final Throttle throttle;
    private volatile int version = 1;

    /** Creates the tables and starts the processes. Facts and logs go to a directory. */
    public Fleet(FleetSettings settings, Path directory, long seed, long rate, long largestBacklog) {
        this.settings = settings;
        this.directory = directory;
        facts = FactWriter.open(directory, "nemesis");
        if (settings.publishers() > 0) {
            RunTables.create(dataSource(), RunTables.LEDGER);
        } else {
            RunTables.create(dataSource());
        }
        Random seeds = new Random(seed);
        for (int number = 1; number <= settings.publishers(); number++) {
            publishers.add(publisher("publisher-" + number, seeds));
        }
        for (int number = 1; number <= settings.workers(); number++) {
            workers.add(worker(settings.workerRole() + "-" + number, number <= WITH_BILLING, seeds));
        }
        throttle = new Throttle(sql, publishers, rate, largestBacklog);
    }

    private Member publisher(String name, Random seeds) {
        TcpProxy proxy = TcpProxy.to("localhost", server.port());
        return new Member(
                name,
                proxy,
                directory,
                facts,
                () -> options(
                        "publisher",
                        Life.option(ChaosProcess.SEED, seeds.nextLong()),
                        Life.option("outbox.poller.enabled", false),
                        Life.option("spring.datasource.url", url(proxy, name))));
    }

    private Member worker(String name, boolean billing, Random seeds) {
        TcpProxy proxy = TcpProxy.to("localhost", server.port());
        return new Member(
                name,
                proxy,
                directory,
                facts,
                () -> options(
                        settings.workerRole(),
                        Life.option(ChaosProcess.VERSION, version),
                        Life.option(ChaosProcess.BILLING, billing),
                        Life.option(ChaosProcess.SEED, seeds.nextLong()),
                        Life.option("spring.datasource.url", url(proxy, name))));
    }

    private List<String> options(String role, String... more) {
        List<String> options = new ArrayList<>(settings.options());
        options.add(Life.option(ChaosProcess.ROLE, role));
        options.add(Life.option("spring.profiles.active", role));
        options.addAll(List.of(more));
        return options;
    }

    private String url(TcpProxy proxy, String application) {
        return "jdbc:postgresql://localhost:" + proxy.port() + "/" + testDatabase.name() + "?ApplicationName="
                + application;
    }

    /** Returns when every process is ready. */
    public void awaitReady() {
        for (Member member : members()) {
            if (!Pause.until(READY_DEADLINE, member::isReady)) {
                throw new IllegalStateException(member.name() + " was not ready within " + READY_DEADLINE);
            }
        }
    }

    /** Chooses a ready process at random, and waits for one if there is none. */
    public Member choose(Random random, Predicate<Member> eligible) {
        List<Member> candidates = members().stream().filter(eligible).toList();
        int first = random.nextInt(candidates.size());
        while (true) {
            for (int i = 0; i < candidates.size(); i++) {
                Member candidate = candidates.get((first + i) % candidates.size());
                if (candidate.isReady()) {
                    return candidate;
                }
            }
            Pause.of(Duration.ofMillis(10));
        }
    }

    /** Returns when some workers are ready, or all if there are fewer. */
    public void awaitWorkers(int count) {
        int most = Math.min(count, workers.size());
        Pause.until(
                READY_DEADLINE, () -> workers.stream().filter(Member::isReady).count() >= most);
    }

    /** All members. */
    public List<Member> members() {
        List<Member> all = new ArrayList<>(publishers);
        all.addAll(workers);
        return all;
    }

    /** The workers. */
    public List<Member> workers() {
        return workers;
    }

    /** The publishers. */
    public List<Member> publishers() {
        return publishers;
    }

    /** Returns how many processes ended unexpectedly. */
    public int unexpectedEnds() {
        return members().stream().mapToInt(Member::unexpectedEnds).sum();
    }

    /** The server; used by one thread only. */
    public CrashingPostgres server() {
        return server;
    }

    /** The database, by connections that no proxy disturbs and nothing pools. */
    public DataSource dataSource() {
        return testDatabase.dataSource();
    }

    /** The database, for single statements. */
    public JdbcClient sql() {
        return sql;
    }

    /** What limits the publishers. */
    public Throttle throttle() {
        return throttle;
    }

    /** Facts of the nemesis. */
    public FactWriter facts() {
        return facts;
    }

    /** Restarts the workers one after the other with another version. */
    public void upgrade(int newVersion) {
        version = newVersion;
        for (Member worker : workers) {
            Pause.until(READY_DEADLINE, () -> worker.restart("version " + newVersion));
            Pause.until(READY_DEADLINE, worker::isReady);
        }
    }

    /**
     * Ends all workers, and starts them again when the given action is done. The one that lacks a handler starts first, alone, and for
     * some time.
     */
    public void stopAllWorkers(BooleanSupplier killed, Runnable action) {
        workers.forEach(Member::hold);
        try {
            for (Member worker : workers) {
                boolean kill = killed.getAsBoolean();
                // Another fault may have ended it before it was held; then it stays down.
                Pause.until(
                        READY_DEADLINE, () -> worker.hasEnded() || (kill ? worker.kill() : worker.restart("all stop")));
            }
            action.run();
            Member first = workers.get(workers.size() - 1);
            first.release();
            Pause.until(READY_DEADLINE, first::isReady);
            Pause.of(ALONE);
        } finally {
            workers.forEach(Member::release);
        }
    }

    /** Stops the processes in order. The database keeps running. */
    public void stop() {
        throttle.close();
        members().forEach(Member::stop);
    }

    @Override
    public void close() {
        throttle.close();
        members().forEach(Member::abandon);
        facts.close();
        server.close();
    }
}
