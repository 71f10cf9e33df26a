package dev.outbox.chaos.matrix;

import dev.outbox.chaos.check.Report;
import dev.outbox.internal.fault.FaultPoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One server and the processes that play on it, which cells use one after the other. Used by one thread. */
final class Rig implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Rig.class);

    private final Path directory;
    private final MatrixServer server;
    private ActorProcess victim;
    private ActorProcess survivor;
    private @Nullable ActorProcess spare;
    private int processes;
    private int cells;

    /** Starts a server and two processes, whose facts and logs go to a directory of their own. */
    Rig(Path directory) {
        this.directory = create(directory);
        this.victim = startProcess();
        this.survivor = startProcess();
        this.server = new MatrixServer();
        warmUp();
    }

    private void warmUp() {
        Cell any = new Cell(FaultPoint.BEFORE_INSERT, FaultKind.CUT, 1, true, 1, false);
        try (CellRun run =
                new CellRun(any, "warm_up", server, victim, survivor, create(directory.resolve("warm_up")))) {
            run.warmUp();
        }
    }

    private static Path create(Path directory) {
        try {
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ActorProcess startProcess() {
        processes++;
        return ActorProcess.start(directory.resolve("process-" + processes + ".log"));
    }

    /** Runs a cell and returns its result. A cell that cannot be run is a violation too. */
    CellResult run(Cell cell) {
        cells++;
        String name = cell.name() + "_" + cells;
        Path facts = create(directory.resolve(name));
        if (cell.kind() == FaultKind.KILL && spare == null) {
            spare = startProcess();
        }
        long begun = System.nanoTime();
        List<String> violations = new ArrayList<>();
        Report report = null;
        long forgotten = 0;
        try (CellRun run = new CellRun(cell, name, server, victim, survivor, facts)) {
            violations.addAll(run.run());
            report = run.report();
            forgotten = run.forgottenBytes();
        } catch (RuntimeException e) {
            log.error("{} could not be run", cell, e);
            violations.add(e.toString());
        }
        CellResult result = new CellResult(
                cell, facts, List.copyOf(violations), report, Duration.ofNanos(System.nanoTime() - begun), forgotten);
        log.info("{}", result);
        recover(result);
        return result;
    }

    private void recover(CellResult result) {
        if (!result.violations().isEmpty()) {
            victim.kill();
            survivor.kill();
            survivor = startProcess();
        }
        if (!victim.isAlive()) {
            victim = spare == null ? startProcess() : spare;
            spare = null;
        }
    }

    @Override
    public void close() {
        victim.close();
        survivor.close();
        if (spare != null) {
            spare.close();
        }
        server.close();
    }
}
