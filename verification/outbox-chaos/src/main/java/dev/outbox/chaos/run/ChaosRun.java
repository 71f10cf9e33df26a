package dev.outbox.chaos.run;

import dev.outbox.chaos.check.CheckSettings;
import dev.outbox.chaos.check.Report;
import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.fleet.FleetSettings;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.nemesis.Nemesis;
import dev.outbox.chaos.nemesis.Schedule;
import dev.outbox.chaos.process.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run: the processes start, everything fails, the backlog drains, and the checker decides. */
public final class ChaosRun {

    private static final Logger log = LoggerFactory.getLogger(ChaosRun.class);

    /** The lease, two polls of the slowest stream, and all retries of one delivery, beside the work itself. */
    private static final Duration DRAIN_DEADLINE = Duration.ofSeconds(60);

    private static final Duration PUBLISH_DEADLINE = Duration.ofMinutes(2);
    private static final int LARGEST_BACKLOG = 1500;
    private static final int MANY = 100;

    /** What the processes of a run are configured with. */
    static final CheckSettings CHECKED = CheckSettings.defaults()
            .withLease(Fleet.LEASE)
            .withMaxAttempts(4)
            .withLongestWait(DRAIN_DEADLINE)
            .withBacklogDeadline(DRAIN_DEADLINE);

    private final ChaosSettings settings;
    private final Path directory;

    /** Prepares a run that writes its facts and logs to a directory. */
    public ChaosRun(ChaosSettings settings, Path directory) {
        this.settings = settings;
        this.directory = directory;
    }

    /** Runs, and returns when the history is checked. */
    public ChaosReport run() throws IOException, SQLException {
        Schedule schedule = Schedule.of(settings.seed(), settings.faults(), settings.time());
        try (Fleet fleet =
                new Fleet(FleetSettings.standard(), directory, settings.seed(), settings.rate(), LARGEST_BACKLOG)) {
            fleet.awaitReady();
            fleet.throttle().open();
            log.info("Ready");
            Nemesis nemesis = new Nemesis(fleet, schedule);
            nemesis.start().join();
            log.info("The faults are over");
            fleet.members().forEach((member) -> member.proxy().heal());
            fleet.awaitReady();
            awaitEvents(fleet);
            Duration drained = drain(fleet);
            fleet.stop();
            log.info("Stopped");
            History history = History.read(directory, fleet.dataSource());
            Report report = FleetChecker.check(CHECKED, history, fleet, directory);
            Measures measures = Measures.of(directory, history.faults());
            return new ChaosReport(
                    settings.seed(), report, nemesis.counts(), measures, drained, fleet.unexpectedEnds());
        }
    }

    private void awaitEvents(Fleet fleet) {
        Pause.until(PUBLISH_DEADLINE, () -> Progress.committed(fleet) >= settings.events() * 101 / 100);
        fleet.throttle().pause();
    }

    private static Duration drain(Fleet fleet) {
        long begun = System.nanoTime();
        Pause.until(DRAIN_DEADLINE, () -> {
            fleet.publishers().get(0).tell(Commands.SKIP_DELAYED, MANY);
            return Progress.open(fleet) == 0;
        });
        return Duration.ofNanos(System.nanoTime() - begun);
    }
}
