package dev.outbox.chaos.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.chaos.check.Report;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.testing.Guarantee;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cells of the matrix that each show a promise. Every rule of the checker applies to them. */
@Tag("full")
class FaultCellsTest {

    private static Rig rig;

    @BeforeAll
    static void startRig() {
        rig = new Rig(
                Path.of("target", "matrix", "cells-" + ProcessHandle.current().pid()));
    }

    @AfterAll
    static void stopRig() {
        rig.close();
    }

    @Test
    @Guarantee(
            value = "G2",
            sentence = "After a process is killed with SIGKILL, its events are delivered again, in order.")
    void redeliversInOrderAfterSigkill() {
        CellResult result = run(FaultPoint.BEFORE_SETTLE, FaultKind.KILL);

        assertThat(result.violations()).isEmpty();
        assertThat(repeated(result)).as("successes that were repeated").isPositive();
    }

    @Test
    @Guarantee(
            value = "G7",
            sentence = "A process killed between the handler's commit and its outcome does not repeat the effects.")
    void effectsCommittedBeforeSigkillAreNotRepeated() {
        CellResult result = run(FaultPoint.AFTER_HANDLER_COMMIT, FaultKind.KILL);

        assertThat(result.violations()).as("a second booking is one").isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"BEFORE_SETTLE", "BEFORE_REDELIVERY_SETTLE"})
    @Guarantee(
            value = "G5",
            sentence = "A process suspended with SIGSTOP past its lease writes nothing after it resumes.")
    void suspendedWorkerWritesNothingAfterItsLease(FaultPoint point) {
        CellResult result = run(point, FaultKind.SUSPEND);

        assertThat(result.violations()).as("a late write is one").isEmpty();
        assertThat(repeated(result)).as("successes that were repeated").isPositive();
    }

    @ParameterizedTest
    @EnumSource(names = {"BEFORE_COMMIT", "BEFORE_SETTLE"})
    @Guarantee(value = "G2", sentence = "A process that loses all connections before a commit loses no event.")
    void brokenConnectionsLoseNothing(FaultPoint point) {
        CellResult result = run(point, FaultKind.CUT);

        assertThat(result.violations()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"AFTER_SETTLE", "AFTER_REDELIVERY_SETTLE"})
    @Guarantee(value = "G3", sentence = "Order holds if PostgreSQL crashes right after a settlement.")
    void keepsOrderThroughDatabaseCrash(FaultPoint point) {
        CellResult result = run(point, FaultKind.CRASH);

        assertThat(result.violations()).isEmpty();
    }

    /** The first hit, at which the batch has an event that succeeds. */
    private static CellResult run(FaultPoint point, FaultKind kind) {
        return rig.run(new Cell(point, kind, 1, false, 1, false));
    }

    private static long repeated(CellResult result) {
        Report report = Objects.requireNonNull(result.report());
        return report.duplicated();
    }
}
